/** Reads CSV and tab-separated files: finds the titles, then cuts batches of rows, which are parsed on any thread. */
import { InputError, UsageError } from '../../../errors.ts';
import {
  fitProblem,
  hasEscapedQuote,
  type HeadRow,
  headRows,
  type RowDialect,
  scanRows,
} from '../../rows.ts';
import { decodeUtf8 } from '../../utf8.ts';
import { type FormRequest, type OpenRows, matchColumnCase } from './form.ts';
import { headBytes } from '../../../lib/head.ts';
import { byCount } from '../../../records/summary.ts';
import { count, type Counts } from '../../../records/tally.ts';
import { headText } from './recognise.ts';

/** Comments and parameters may come before the titles. */
const rowsTried = 40;

export function openCsv(request: FormRequest): OpenRows {
  const { input, head, source, named } = request;
  const text = headText(head);
  if (/\r(?!\n)/.test(text) && !text.includes('\n')) throw oldLineEnds(input.name);
  refuseDrawnTable(input.name, text);
  const delimiter = source.delimiter ?? findDelimiter(text, named);
  // Files of Unix have colons, no titles and no quotes: one in a comment or a name is only a character.
  const isUnix = delimiter === ':' && source.titles !== undefined;
  const quotes = !isUnix && (delimiter !== '\t' || /(?:^|[\t\n])"/.test(text));
  const isUnquotedTabs = delimiter === '\t' && !quotes;
  const backslashes =
    source.escape !== undefined ||
    (isUnquotedTabs
      ? hasEscapes(text)
      : quotes && hasEscapedQuote(text, delimiter) && hasEscapes(text, `"\r${delimiter}`));
  const titles = findTitles(text, { delimiter, quotes, backslashes }, request);
  const names = matchColumnCase(named, titles.names);
  const dialect: RowDialect = {
    delimiter,
    titles: names,
    quotes,
    backslashes,
    parameters: titles.parameters,
    isExact: source.lengths !== undefined,
    comment: source.comment,
  };
  const before = text.slice(0, titles.end);
  // Their length in bytes is known only of UTF-8.
  if (before.includes('\ufffd')) decodeUtf8(input.name, head.subarray(0, Buffer.byteLength(before)), 0);
  const rows = Array.from(headRows(text.slice(titles.end), dialect), ({ cells }) => cells);
  noticeNullWords(rows, request);
  noticeHeader(rows, dialect, request);
  return {
    columns: names.filter((name) => name !== ''),
    ...(titles.isNumbered ? { isNumbered: true } : {}),
    batches: scanRows(input.name, skipBytes(request.blocks, Buffer.byteLength(before)), dialect, {
      offset: Buffer.byteLength(before),
      line: before.split('\n').length,
    }),
  };
}

function oldLineEnds(name: string) {
  return new InputError(
    'input:syntax',
    name,
    'its lines end with CR only, as old Macs wrote them',
    "Save it as CSV UTF-8, or: tr '\\r' '\\n' < old > new",
  );
}

/** MySQL and Postgres write these escapes alone; others write a backslash as it is: `CORP\ada`. */
function hasEscapes(text: string, more = '') {
  return [...text.replaceAll('\\\\', '').matchAll(/\\([^])/g)].every(([, letter = '']) =>
    `tnrN0Z\t\n${more}`.includes(letter),
  );
}

/** Throws `InputError` for columns that are padded with blanks, as a table drawn for the screen has them. */
function refuseDrawnTable(name: string, text: string) {
  const lines = text.split('\n', rowsTried);
  // Not inside of a cell, whose lines are its user's.
  const isOutside = (place: number) => lines.slice(0, place).join('').split('"').length % 2 === 1;
  const at = lines.findIndex(
    (line, place) => /^[-+|,; \t\r]+$/.test(line) && line.includes('--') && isOutside(place),
  );
  if (at === -1 || !(/-[+ ]+-/.test(lines[at]!) || / {2}/.test(lines[at - 1] ?? ''))) return;
  throw new InputError(
    'input:unknown-form',
    name,
    'it is a table drawn for the screen',
    'Export as CSV: psql --csv, mysql --batch, sqlcmd -W -s "," or bcp.',
  );
}

async function* skipBytes(blocks: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  for await (const block of blocks) {
    if (left < block.length) yield left === 0 ? block : block.subarray(left);
    left = Math.max(0, left - block.length);
  }
}

/** The one that makes titles of the first row that can be them, then the one that cuts most. */
function findDelimiter(text: string, named: ReadonlySet<string>) {
  const rated = [',', ';', '\t', '|'].map((delimiter) => {
    const rows = firstRows(text, { delimiter, quotes: delimiter !== '\t', backslashes: false });
    const known = rows.map((row) => knownTitles(row, named));
    const at = titlesAt(known);
    const start = at === -1 ? Infinity : rows[at]!.start;
    return {
      delimiter,
      known: known[at] ?? 0,
      start,
      cells: Math.max(...rows.map(({ cells }) => cells.length)),
    };
  });
  const best = (titles: number) => Math.min(2, titles);
  return rated.sort(
    (one, other) =>
      best(other.known) - best(one.known) ||
      (one.start === other.start ? other.known - one.known : one.start - other.start) ||
      other.cells - one.cells,
  )[0]!.delimiter;
}

function firstRows(text: string, dialect: Omit<RowDialect, 'titles'>) {
  const rows: HeadRow[] = [];
  for (const row of headRows(text, dialect)) {
    if (row.cells[0]?.startsWith('#') !== true && row.cells.some((cell) => cell.trim() !== ''))
      rows.push(row);
    if (rows.length >= rowsTried) break;
  }
  return rows;
}

/** How many columns of the mapping it names; none where it holds data. */
function knownTitles({ cells }: HeadRow, named: ReadonlySet<string>) {
  if (cells.some((cell) => data.test(cell.trim()))) return 0;
  return cells.filter((cell) => named.has(cell.trim())).length;
}

/** The first row that names two columns: a later one may be of another file. A parameter before it names one. */
function titlesAt(known: readonly number[]) {
  const first = known.findIndex((count) => count >= 2);
  return first === -1 ? known.findIndex((count) => count > 0) : first;
}

/** An email address, a hash, a time, a UUID: a message with such a title would show what belongs to a user. */
export const data =
  /[^\s@]{1,64}@[^\s@]{1,200}\.[^\s@]|\$\w{1,20}\$.|^\{\w+\}.|^\d{4}-\d\d-\d\d(?:[ T]|$)|[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/i;
/** An id or a phone number; a table of numbers may have numbers as titles, too. */
const number = /^[+-]?\d[\d\s().-]*$/;

interface Titles {
  readonly names: readonly string[];
  /** Where the first row begins, in the text. */
  readonly end: number;
  readonly isNumbered?: true;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Throws `UsageError` where there are none, unless columns may be numbered. */
function findTitles(text: string, dialect: Omit<RowDialect, 'titles'>, request: FormRequest): Titles {
  const { input, source, named } = request;
  const rows = firstRows(text, dialect);
  const best = titlesAt(rows.map((row) => knownTitles(row, named)));
  if (best === -1 && source.titles !== undefined) return titlesOf(source.titles, rows, request);
  const row = rows[Math.max(best, 0)];
  if (row === undefined) throw new UsageError(`${input.name}: there is no row of titles`);
  if (best === -1 && row.cells.some((cell) => data.test(cell.trim()) || number.test(cell.trim()))) {
    const names = row.cells.map((_, at) => `c${at + 1}`);
    if (request.numbersColumns) return { names, end: row.start, isNumbered: true };
    throw new UsageError(
      `${input.name}: there is no row of titles: the first row holds data`,
      'Name the columns in the mapping: source: { titles: [id, email, ...] }. `idport map` drafts one.',
    );
  }
  if (row.end === text.length && request.head.length >= headBytes) {
    throw new UsageError(
      `${input.name}: the row of titles is longer than ${headBytes / 1024} KiB`,
      'Export only the columns that are needed, or name them in the mapping: source: { titles: [...] }.',
    );
  }
  const names = row.cells.map((cell) => cell.trim());
  refuseTwice(input.name, names, named);
  const before = rows.slice(0, rows.indexOf(row)).map(({ cells }) => cells.map((cell) => cell.trim()));
  const parameters = before.filter(
    ([name = '', value = '', ...more]) =>
      named.has(name) && value !== '' && more.every((cell) => cell === ''),
  );
  return {
    names: names.map((name, at) => keyOf(name, at, names)),
    end: row.end,
    ...(parameters.length === 0
      ? {}
      : { parameters: Object.fromEntries(parameters) as Readonly<Record<string, string>> }),
  };
}

/** The titles that the mapping gives. Rows of another length have commas that are not quoted, and cells in wrong places. */
function titlesOf(
  titles: readonly string[],
  rows: readonly { readonly cells: readonly string[]; readonly start: number }[],
  { input, source }: FormRequest,
): Titles {
  const lengths = source.lengths ?? [rows[0]?.cells.length ?? 0];
  // A comma may end each line.
  const length = rows
    .flatMap(({ cells }) => (cells.at(-1) === '' ? [cells.length, cells.length - 1] : cells.length))
    .find((cells) => lengths.includes(cells));
  if (length === undefined) {
    throw new UsageError(
      `${input.name}: its rows have ${rows[0]?.cells.length ?? 0} cells, and not ${lengths.join(', ')}`,
      'Commas inside of cells are not quoted, or columns are missing. Export as JSON.',
    );
  }
  return { names: titles.slice(0, length), end: rows[0]?.start ?? 0 };
}

/** A header that cannot be the key of an object, or that occurs twice, gets the number of its column. */
function keyOf(name: string, at: number, names: readonly string[]) {
  return name === '__proto__' || (name !== '' && names.indexOf(name) < at) ? `${name}#${at + 1}` : name;
}

function refuseTwice(input: string, names: readonly string[], named: ReadonlySet<string>) {
  const twice = names.find((name, at) => named.has(name) && names.indexOf(name) < at);
  if (twice === undefined) return;
  throw new UsageError(
    `${input}: there are two columns ${twice}, and the mapping names it`,
    'Rename one of the two in the file, so that it is clear which one counts.',
  );
}

const nullWords = ['NULL', 'null', '(null)', '<null>', '[NULL]'];

/** A user may be named Null, so that the word counts only where the mapping says so. */
function noticeNullWords(rows: readonly (readonly string[])[], { input, source, notify }: FormRequest) {
  if (source.null !== undefined) return;
  const counts: Counts = new Map();
  for (const cell of rows.flat()) if (nullWords.includes(cell)) count(counts, cell);
  const [[word, cells] = ['', 0]] = byCount(counts);
  if (cells < 2) return;
  notify({
    level: 'warning',
    code: 'input:null-words',
    text: `${input.name}: cells hold the word ${word}; if it stands for nothing, write source: { null: ['${word}'] } in the mapping`,
  });
}

/** Every row of another length is rejected; where all have the same one, it is the header that is of another export. */
function noticeHeader(
  rows: readonly (readonly string[])[],
  dialect: RowDialect,
  { input, notify }: FormRequest,
) {
  const first = rows.filter((cells) => cells.some((cell) => cell.trim() !== '')).slice(0, 10);
  const [length, ...others] = first.map((cells) => cells.length);
  if (others.length === 0 || others.some((other) => other !== length)) return;
  if (first.some((cells) => fitProblem(cells, dialect) === undefined)) return;
  notify({
    level: 'warning',
    code: 'input:other-header',
    text: `${input.name}: the rows have ${length} cells and the header has ${dialect.titles.length} titles: the header and the rows are not of the same export`,
  });
}
