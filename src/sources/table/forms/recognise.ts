/** Recognises the format of a file by its first bytes, not by its name. */
import { InputError } from '../../../errors.ts';
import { peekShape } from '../../../json/shape.ts';
import { adviseEmpty, type Input } from '../../../lib/input.ts';
import { isObjectLine } from '../../../lib/json-value.ts';
import type { FormName } from './form.ts';

export const exportAsCsv =
  'Export as CSV: `psql --csv`, `mysql --batch`, `sqlite3 -csv -header`, `sqlcmd -W -s ","` or bcp.';

/** Number of lines searched for JSON records. */
export const linesTried = 10;

/** Throws `InputError` for an unknown format. */
export function recogniseForm(input: Pick<Input, 'name' | 'isLive'>, head: Uint8Array) {
  const text = headText(head);
  const { name } = input;
  if (text.trim() === '')
    throw new InputError('input:empty', name, 'there is nothing in it', adviseEmpty(input, emptyHint));
  const foreign = foreigners.find(([pattern]) => pattern.test(text));
  if (foreign !== undefined) {
    const [, title, hint] = foreign;
    const code = title === encrypted ? 'input:encrypted' : 'input:unknown-form';
    throw new InputError(code, name, `it is ${title}`, hint);
  }
  const { root } = peekShape(head);
  const lines = text.split('\n');
  // The first line may be broken.
  const isObjects = lines.slice(0, linesTried).some((line) => isObjectLine(line) && line.trim() !== '{}');
  if (root !== undefined || isObjects) return 'json';
  const form = formOfText(text);
  if (form === 'csv' && lines.filter((line) => binary.test(line)).length * 2 > lines.length) {
    throw new InputError(
      'input:unknown-form',
      name,
      'it is binary, as bcp -n and other programs write it',
      'Export as text: bcp <table> out users.txt -c -C 65001, or -w.',
    );
  }
  return form;
}

/** Returns the format of a text that is not JSON. */
export function formOfText(text: string) {
  const whole = text.replace(/^\ufeff/, '');
  const lines = whole.split('\n');
  return forms.find(([, fits]) => fits(lines, whole))?.[0] ?? 'csv';
}

/** Matches binary numbers and lengths. A NUL between delimiters is an empty text of bcp and does not match. */
const binary = /[\0-\u0008\u000e-\u001f]\0|\0[\u0001-\u0008\u000e-\u001f]/;

const emptyHint = 'Check that the export finished and wrote this file.';

const encrypted = 'encrypted with PGP';
const foreigners = [
  [/^\s*<(?:\?xml|[a-z!])/i, 'XML', 'Export as JSON, CSV or SQL.'],
  [/^-----BEGIN PGP/, encrypted, 'Decrypt it first: gpg --decrypt.'],
  [/^PGDMP/, 'a dump in the custom format of pg_dump', 'Write it as text: pg_restore --file=dump.sql dump'],
  [/^SQLite format 3/, 'a database of SQLite', "Write it as text: sqlite3 file '.dump users' > dump.sql"],
  [
    // Length of the first document, then its first field.
    /^[^]{2,4}[\u0001-\u0013]_id\0/,
    'BSON, as mongodump writes it',
    'Write it as text: bsondump users.bson > users.jsonl',
  ],
  [
    /^[^]{257}ustar/,
    'a tar archive',
    'Unpack it first; a dump of pg_dump as text: pg_restore --file=dump.sql dump.tar',
  ],
  [
    /^\s*\[\s*\{"type":\s*"header",[^}]*phpmyadmin/i,
    'JSON of phpMyAdmin, which has the tables of a database',
    'Export the table of the users as SQL or CSV.',
  ],
  [/^\u001e\{/, 'JSON with separators (RFC 7464)', "Write it as JSON lines: tr -d '\\036' < old > new"],
  [
    /^(?:-\[ RECORD 1 \]|\*{20,} 1\. row \*{20,}|[┌│╭]|\|[ :]?-{2,}|\|[^\n]*\n\|[ :]?-{2,}| *\w+ = [^\n]*\n *\w+ = )/,
    'a table drawn for the screen',
    exportAsCsv,
  ],
  [/^PAR1/, 'a Parquet file', 'Export as JSON, CSV or SQL.'],
  [/^%PDF-/, 'a PDF', 'Export as JSON, CSV or SQL.'],
] as const;

const statement =
  /^(?:(?:INSERT|REPLACE|COPY|REM|CREATE|SET|USE|PRAGMA|BEGIN|DROP|ALTER|LOCK|GO|SELECT|START)\b|(?:DELETE\s+FROM|TRUNCATE|DECLARE)\s|DO\s+\$|IF\s+(?:NOT\s+)?(?:EXISTS|OBJECT_ID)\b)/i;
/** Matches a CSV header whose first column looks like a statement: `set,email`, `create date;email`. */
const titles =
  /^(?:\w+ *[,|]|(?!\w+\s+(?:TABLES?|INTO|FROM)\b)\w[\w .-]*(?:[,;\t|] *[\w"][\w ."-]*)+\r?(?:\n|$))/i;
/** Matches comments and blank space before the first statement. A line of three dashes begins YAML, not a comment. */
const sqlComments = /^(?:[\s;]|--(?!-\s)[^\n]*|\/\*[^]*?(?:\*\/|$)|[#\\][^\n]*)+/;

const forms: readonly (readonly [FormName, fits: (lines: readonly string[], text: string) => boolean])[] = [
  ['ldif', (lines) => /^(?:version:\s*1\s*$|dn::?\s)/i.test(firstLine(lines))],
  [
    'sql',
    (lines, text) => {
      const rest = text.replace(sqlComments, '');
      return (
        (statement.test(rest) && !titles.test(rest)) ||
        (rest === '' && lines.some((line) => line.startsWith('--')))
      );
    },
  ],
  [
    'yaml',
    (lines) => {
      const text = lines.filter((line) => !/^\s*(?:#|---|$)/.test(line)).join('\n');
      // A list, or keys of which one has something below it.
      const isKeyed = /^['"]?[\w-]+['"]?:\s/.test(text) && /^['"]?[\w-]+['"]?:\s*\n(?:\s+|- )\S/m.test(text);
      return isKeyed || /^- ['"]?[\w-]+['"]?:(?:\s|$)/.test(text) || firstLine(lines).trim() === '---';
    },
  ],
];

/** Returns the first line that is neither blank nor a comment, or an empty text. */
function firstLine(lines: readonly string[]) {
  return lines.find((line) => !/^(?:\s*$|#)/.test(line)) ?? '';
}

/** Decodes the first bytes, whatever their encoding. */
export function headText(head: Uint8Array) {
  return Buffer.from(head)
    .toString('utf8')
    .replace(/^\ufeff/, '');
}
