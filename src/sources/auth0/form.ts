/** Recognises the form of an Auth0 file by its first bytes; the name of the file does not matter. */
import { InputError } from '../../errors.ts';
import { peekShape } from '../../json/shape.ts';
import { isObjectLine } from '../../lib/json-value.ts';
import { canonicalField } from './columns.ts';

export type Form =
  /** One JSON object a line: the export job, what support sends. */
  | { readonly kind: 'lines' }
  /** Lists and pages (`{users: [...], total}`), one or several after the other. */
  | { readonly kind: 'lists' }
  /** Objects one after the other, each over several lines. */
  | { readonly kind: 'values' }
  /** A row of titles, then a row a record. */
  | { readonly kind: 'table'; readonly delimiter: string; readonly titles: readonly string[] };

/** Lines looked at before a file is taken for something else than lines: the first of them may be broken. */
const linesTried = 10;

/** Throws `InputError` for what is none of these. */
export function recogniseForm(input: string, head: Uint8Array): Form {
  const { root, keys } = peekShape(head);
  if (root === 'empty') throw new InputError('input:empty', input, 'there is nothing in it', emptyHint);
  if (root === 'array' || (root === 'object' && keys.includes('users'))) return { kind: 'lists' };
  const lines = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('utf8').split('\n');
  if (lines.slice(0, linesTried).some((line) => isObjectLine(line) && line.trim() !== '{}'))
    return { kind: 'lines' };
  if (root === 'object') return { kind: lines.length === 1 ? 'lines' : 'values' };
  const table = titlesOf(lines[0] ?? '');
  if (table !== undefined) return { kind: 'table', ...table };
  throw unknownForm(input, lines[0] ?? '');
}

const emptyHint = { hint: 'Check that the export finished and wrote this file.' };

/** A row of titles names at least an id or an email; the extension separates with tabs. */
function titlesOf(line: string): { delimiter: string; titles: readonly string[] } | undefined {
  for (const delimiter of ['\t', ',', ';']) {
    const titles = line.split(delimiter).map((cell) => cell.trim().replace(/^"|"$/g, ''));
    const fields = titles.map(canonicalField);
    if (fields.includes('user_id') || fields.includes('email')) return { delimiter, titles };
  }
  return undefined;
}

function unknownForm(input: string, line: string): InputError {
  if (line.startsWith('-----BEGIN PGP')) {
    return new InputError('input:encrypted', input, 'it is encrypted with PGP', {
      hint: 'Decrypt it with the key that was given to support: gpg --decrypt.',
    });
  }
  return new InputError('input:unknown-form', input, 'it is neither JSON nor a table with a row of titles', {
    hint: 'Give an export of Auth0: JSON lines, a JSON list, or a CSV whose first row has user_id or email.',
  });
}
