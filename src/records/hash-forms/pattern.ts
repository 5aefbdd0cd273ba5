/**
 * Patterns of stored hashes, as rows write them: `pbkdf2_<digest:sha1|sha256>$<rounds:#>$<salt>$<key>`. `<name>`
 * matches everything up to the character that follows it in the pattern, or to the end. `<name:kind>` matches one of
 * several words, digits (`#`), hexadecimal digits (`hex`, `hex32`), a number of characters (`22`), or at least one
 * character (`+`). A part in `[ ]` is optional, `<:kind>` has no name, and a leading `(i)` ignores case.
 */
import { memoized } from '../../lib/strings.ts';

export type Pattern = string | RegExp;

export const toRegExp = (pattern: Pattern) => (typeof pattern === 'string' ? compiled(pattern) : pattern);

const compiled = memoized(compile);

function compile(pattern: string) {
  const isFolded = pattern.startsWith('(i)');
  const text = isFolded ? pattern.slice(3) : pattern;
  const source = text.replaceAll(
    /<(\w*)(?::([^>]*))?>|[^<[\]]+|[[\]]/g,
    (part, name: string | undefined, kind: string | undefined, at: number) => {
      if (part === '[') return '(?:';
      if (part === ']') return ')?';
      if (name === undefined) return escape(part);
      return `${name === '' ? '(?:' : `(?<${name}>`}${toKind(kind, text.slice(at + part.length))})`;
    },
  );
  return new RegExp(`^${source}$`, isFolded ? 'is' : 's');
}

function toKind(kind: string | undefined, rest: string) {
  const ends = endsIn(rest);
  const any = ends === '' ? '.' : `[^${escape(ends)}]`;
  const hex = /^hex(\d*)$/.exec(kind ?? '');
  if (kind === undefined) return `${any}*`;
  if (kind === '+') return `${any}+`;
  if (kind === '#') return '\\d{1,15}';
  if (hex !== null) return `(?:[0-9a-fA-F]{2})${hex[1] === '' ? '+' : `{${Number(hex[1]) / 2}}`}`;
  return /^\d+$/.test(kind) ? `.{${kind}}` : kind.split('|').map(escape).join('|');
}

/** Returns the characters with which the rest of the pattern may begin. */
function endsIn(rest: string): string {
  const [, optional, after = ''] = /^\[([^<[\]])[^\]]*\]*(.*)$/s.exec(rest) ?? [];
  if (optional !== undefined) return optional + endsIn(after);
  if (rest.startsWith(']')) return endsIn(rest.slice(1));
  return rest === '' || rest.startsWith('<') ? '' : rest.charAt(0);
}

const escape = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
