/** One form of a stored password as a row of data: which texts it reads, and how the hash in them was made. */
import type { JsonObject } from '../../lib/json-value.ts';
import type { McfProblem } from '../mcf/algorithm.ts';
import type { TextEncoding } from './encodings.ts';
import type { Bytes } from './form.ts';
import { memoized } from '../../lib/strings.ts';

/** What a source stores of one password. Nothing is decoded yet. */
export interface HashParts {
  /** The hash, or the full text with parameters, salt and hash. */
  readonly hash: string;
  readonly salt?: string;
  /** Method, type or hasher, if the source stores it next to the hash. */
  readonly algorithm?: string;
  readonly rounds?: string;
  /** Parameters that the source stores as an object. */
  readonly options?: JsonObject;
  /** A secret that the operator knows and the export does not have, such as a pepper or the key of a site. */
  readonly secret?: Uint8Array;
}

/**
 * The values that a row reads, by name: the columns (`hash` without surrounding blanks, `raw` with them, `salt`,
 * `algorithm`, `rounds`, `secret`), the members of `options` or of a hash that is an object (`.cost`, `.hash.value`; `.` is
 * the list of its keys in braces), and the named groups of the patterns.
 */
export type Inputs = Readonly<Record<string, string | Uint8Array | Exclude<Bytes, string> | undefined>>;

/**
 * What the row reads, besides what formulas name:
 * `mcf`: `text`, or else `hash` · `plain`: `text`, or else `raw` · `pbkdf2`: digest, rounds, salt, key · `scrypt`: n or
 * ln, r, p, salt, key · `argon2`: variant, version, m (KiB), t, p, salt, key · `digest`: key, rounds · `apr1`, `des`:
 * salt, key · `firebase`: memCost, rounds, salt, separator, signerKey, key. If there is no `key`, `hash` is the key.
 */
export type Kdf = 'mcf' | 'plain' | 'pbkdf2' | 'scrypt' | 'argon2' | 'digest' | 'apr1' | 'des' | 'firebase';

export type Read = (text: (name: string) => string) => Inputs | McfProblem;

export interface HashRow {
  /** Texts that the row reads. Named groups become inputs. Every text if not set. */
  readonly hash?: Pattern;
  /** The way of hashing that the row is about. */
  readonly algorithm?: Pattern;
  /** Patterns for other inputs. An absent input is an empty text. */
  readonly when?: Readonly<Record<string, Pattern>>;
  /** See `kdfOf`. */
  readonly kdf?: Kdf;
  /** Defaults of inputs. `<name>` stands for another input. If there are several, the first available one is used. */
  readonly set?: Readonly<Record<string, string | readonly string[]>>;
  /** Encoding of the salt. `text` if not set. */
  readonly salt?: TextEncoding;
  /** Encoding of the key, of the digest or of everything in `layout`. `hex` if not set. */
  readonly key?: TextEncoding;
  /** Set if the key contains several values: names and lengths in bytes, in order. All but salt and key are numbers. */
  readonly layout?: readonly (readonly [name: string, bytes: number | 'digest' | 'rest'])[];
  /** Formula of the salt that was hashed. */
  readonly salted?: string;
  /** Formula of a digest, or several of which any may match. `<name>` stands for a text among the inputs. */
  readonly of?: string | readonly string[];
  /** Set if the digest is applied `rounds` times: the formula of what is appended to the last digest. */
  readonly again?: string;
  /** Name of the secret that the operator keeps. No secret is needed if not set. */
  readonly secret?: string;
  /** Name of the digest in messages. */
  readonly title?: string;
  /** Formula of what was hashed instead of the password. */
  readonly typed?: string;
  /** Why the target cannot verify it. If only `typed` is set, the target can, because only some passwords are altered. */
  readonly refuse?: McfProblem;
  /** Why it is unknown whether the password was altered. */
  readonly doubt?: string;
  /** Other rows, which read `hash` as these inputs have it. */
  readonly as?: readonly HashRow[];
  /** Makes inputs of the texts of others, for what no pattern can express. */
  readonly read?: Read;
}

/**
 * Returns how the hash was made: a formula means a digest, and a hash string needs no word. Undefined for rows that only
 * refuse or hand over.
 */
export function kdfOf({ kdf, of, as, typed, refuse }: HashRow) {
  if (kdf !== undefined || of !== undefined) return kdf ?? 'digest';
  return as !== undefined || (refuse !== undefined && typed === undefined) ? undefined : 'mcf';
}

/** The forms of one source, and what pages and mappings say about them. The first row that fits reads the hash. */
export interface HashDecoder {
  /** Name of the source, for pages and messages. */
  readonly title: string;
  readonly rows: readonly HashRow[];
  /** What becomes a hash string of the target. Empty if nothing does. */
  readonly converts: string;
  /** What is refused because no password could match. */
  readonly refuses?: string;
  /** Set if the text does not show whether the password was altered, and the source is unknown. */
  readonly asksForAlterations?: true;
}

/** Returns an input if it is text, or an empty string. */
export function textOf(inputs: Inputs, name: string) {
  const value = inputs[name];
  return typeof value === 'string' ? value : '';
}

/**
 * As a text: `pbkdf2_<digest:sha1|sha256>$<rounds:#>$<salt>$<key>`. `<name>` matches everything up to the character that
 * follows it in the pattern, or to the end. `<name:kind>` matches one of several words, digits (`#`), hexadecimal digits
 * (`hex`, `hex32`), a number of characters (`22`), or at least one character (`+`). A part in `[ ]` is optional, `<:kind>`
 * has no name, and a leading `(i)` ignores case.
 */
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
