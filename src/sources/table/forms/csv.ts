/** Reads CSV and tab-separated files: finds the header row, then cuts batches of rows for any thread to parse. */
import { warning } from '../../../notice.ts';
import { InputError, UsageError } from '../../../errors.ts';
import {
  type CellDialect,
  fitProblem,
  hasEscapedQuote,
  type HeadRow,
  headRows,
  type RowDialect,
  scanRows,
} from '../../rows.ts';
import { decodeUtf8 } from '../../encoding.ts';
import { type FormRequest, type OpenRows, createColumnMatch } from './form.ts';
import { headBytes } from '../../../lib/input.ts';
import { exportAsCsv, headText } from './recognise.ts';

/** Number of rows searched for the header. Comments and parameters may come before it. */
const rowsTried = 40;

export function openCsv(request: FormRequest): OpenRows {
  const { input, head, source, named } = request;
  const text = headText(head);
  if (/\r(?!\n)/.test(text) && !text.includes('\n'))
    throw new InputError(
      'input:syntax',
      input.name,
      'its lines end with CR only, as old Macs wrote them',
      "Save it as CSV UTF-8, or: tr '\\r' '\\n' < old > new",
    );
  refuseDrawnTable(input.name, text);
  const delimiter = source.delimiter ?? findDelimiter(text, request);
  // Unix files such as passwd have colons, no header and no quoting: a quote is an ordinary character.
  const isUnix = delimiter === ':' && source.titles !== undefined;
  const quotes = !isUnix && (delimiter !== '\t' || /(?:^|[\t\n])"/.test(text));
  const isUnquotedTabs = delimiter === '\t' && !quotes;
  const backslashes =
    source.escape !== undefined ||
    (isUnquotedTabs
      ? hasEscapes(text)
      : quotes && hasEscapedQuote(text, delimiter) && hasEscapes(text, `"\r${delimiter}`));
  const titles = findTitles(text, { delimiter, quotes, backslashes }, request);
  const names = createColumnMatch(named)(titles.names);
  // The offset in bytes is only right if the text is UTF-8.
  const before = text.slice(0, titles.end);
  if (before.includes('\ufffd')) decodeUtf8(input.name, head.subarray(0, Buffer.byteLength(before)), 0);
  const written = { delimiter, quotes, backslashes };
  const rows = Array.from(headRows(text.slice(titles.end), written), ({ cells }) => cells);
  const dialect: RowDialect = {
    ...written,
    titles: names,
    nested: request.nested,
    isMarked: areMarked(rows, names, request.marked),
    parameters: titles.parameters,
    isExact: source.lengths !== undefined,
    comment: source.comment,
    // COPY of PostgreSQL leaves a cell empty for nothing and writes "" for an empty text, so NULL is a name.
    nulls: text.includes(',"",') && text.includes(',,') ? undefined : source.null,
  };
  noticeNullWords(rows, request);
  noticeHeader(rows, dialect, request);
  return {
    columns: names.filter(Boolean),
    isNumbered: titles.isNumbered,
    batches: scanRows(input.name, skipBytes(request.blocks, Buffer.byteLength(before)), dialect, {
      offset: Buffer.byteLength(before),
      line: before.split('\n').length,
    }),
  };
}

/** Reports whether all cells of the columns begin with an apostrophe, as far as there are any. */
function areMarked(
  rows: readonly (readonly string[])[],
  names: readonly string[],
  columns: readonly string[] = [],
) {
  const cells = rows.flatMap((row) =>
    row.filter((cell, at) => cell !== '' && columns.includes(names[at] ?? '')),
  );
  return cells.length > 0 && cells.every((cell) => cell.startsWith("'"));
}

/** Reports whether all backslashes are escapes of MySQL or PostgreSQL. Others write plain ones: `CORP\ada`. */
function hasEscapes(text: string, more = '') {
  return [...text.replaceAll('\\\\', '').matchAll(/\\([^])/g)].every(([, letter = '']) =>
    `tnrN0Z\t\n${more}`.includes(letter),
  );
}

/** Throws `InputError` for a table drawn for the screen, whose columns are padded with spaces. */
function refuseDrawnTable(name: string, text: string) {
  const lines = text.split('\n', rowsTried);
  // Lines inside a quoted cell belong to the user's data.
  const isOutside = (place: number) => lines.slice(0, place).join('').split('"').length % 2 === 1;
  const at = lines.findIndex(
    (line, place) => /^[-+|,; \t\r]+$/.test(line) && line.includes('--') && isOutside(place),
  );
  if (at === -1 || !(/-[+ ]+-/.test(lines[at]!) || / {2}/.test(lines[at - 1] ?? ''))) return;
  throw new InputError('input:unknown-form', name, 'it is a table drawn for the screen', exportAsCsv);
}

async function* skipBytes(blocks: AsyncIterable<Uint8Array>, count: number) {
  let left = count;
  for await (const block of blocks) {
    if (left < block.length) yield left === 0 ? block : block.subarray(left);
    left = Math.max(0, left - block.length);
  }
}

/** Returns the delimiter whose rows include one that names columns; of several, that of the earliest such row, then of most cells. */
function findDelimiter(text: string, request: FormRequest) {
  // Rows of Unix begin with a name and a colon. The last one may be cut off.
  const isUnix = !/^(?!#|[^:,;|\t\n]+:).+\n/m.test(text);
  const rated = [...(isUnix ? [':'] : []), ',', ';', '\t', '|'].map((delimiter) => {
    const rows = firstRows(text, { delimiter, quotes: delimiter !== '\t', backslashes: false });
    const known = rows.map((row) => knownTitles(row, request));
    const at = titlesAt(known);
    const start = at === -1 ? Infinity : rows[at]!.start;
    return {
      delimiter,
      known: known[at] ?? 0,
      start,
      cells: rows.flatMap(({ cells }) => cells).length,
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

function firstRows(text: string, dialect: CellDialect) {
  const rows: HeadRow[] = [];
  for (const row of headRows(text, dialect)) {
    // Excel reads the delimiter from a line `sep=;`.
    if (!/^(?:#|sep=)/i.test(row.cells[0]!) && row.cells.some((cell) => cell.trim() !== '')) rows.push(row);
    if (rows.length >= rowsTried) break;
  }
  return rows;
}

/** Returns how many columns of the mapping the row names, 0 if it contains data. */
function knownTitles({ cells }: HeadRow, { named, nameOf = String }: FormRequest) {
  if (cells.some((cell) => data.test(cell.trim()))) return 0;
  return cells.filter((cell) => named.has(nameOf(cell.trim()))).length;
}

/** Returns the first row that names two columns. A parameter row names one, and a later row may be another file's header. */
function titlesAt(known: readonly number[]) {
  const first = known.findIndex((count) => count >= 2);
  return first === -1 ? known.findIndex((count) => count > 0) : first;
}

/** Matches an email address, hash, time or UUID. A message must not show such a cell as a column name. */
export const data =
  /[^\s@]{1,64}@[^\s@]{1,200}\.[^\s@]|\$\w{1,20}\$.|^\{\w+\}.|^\d{4}-\d\d-\d\d(?:[ T]|$)|(?:[\da-f]-?){32}/i;
/** Matches an id or a phone number. A table of numbers may have numbers as column names. */
const number = /^[+-]?\d[\d\s().-]*$/;

interface Titles {
  readonly names: readonly string[];
  /** Position of the first data row in the text. */
  readonly end: number;
  readonly isNumbered?: true;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Throws `UsageError` if there is no header row and columns may not be numbered. */
function findTitles(text: string, dialect: CellDialect, request: FormRequest): Titles {
  const { input, source, named, nameOf = String } = request;
  const rows = firstRows(text, dialect);
  // The name of a user may be a title elsewhere.
  const mayName = dialect.delimiter === ':' ? rows.slice(0, 1) : rows;
  const best = titlesAt(mayName.map((row) => knownTitles(row, request)));
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
  const names = row.cells.map((cell) => nameOf(cell.trim()));
  const twice = names.find((name, at) => named.has(name) && names.indexOf(name) < at);
  if (twice !== undefined)
    throw new UsageError(
      `${input.name}: there are two columns for ${twice}: ${row.cells.filter((_, at) => names[at] === twice).join(', ')}`,
      'Rename one of the two in the file, so that it is clear which one counts.',
    );
  const before = rows.slice(0, rows.indexOf(row)).map(({ cells }) => cells.map((cell) => cell.trim()));
  const parameters = before.filter(
    ([name = '', value = '', ...more]) =>
      named.has(name) && value !== '' && more.every((cell) => cell === ''),
  );
  return {
    names: names.map((name, at) => keyOf(name, at, names)),
    end: row.end,
    parameters: Object.fromEntries(parameters) as Readonly<Record<string, string>>,
  };
}

/** Checks the mapping's titles against the rows. Rows of another length have unquoted commas, so their cells are misplaced. */
function titlesOf(
  titles: readonly string[],
  rows: readonly HeadRow[],
  { input, source }: FormRequest,
): Titles {
  const lengths = source.lengths ?? [rows[0]?.cells.length ?? 0];
  // Each line may end with a comma.
  const length = rows
    .flatMap(({ cells }) => (cells.at(-1) === '' ? [cells.length, cells.length - 1] : cells.length))
    .find((cells) => lengths.includes(cells));
  if (length === undefined) {
    throw new UsageError(
      `${input.name}: its rows have ${rows[0]?.cells.length ?? 0} cells, and not ${lengths.join(' or ')}`,
      'A separator inside of a cell is not quoted, or columns are missing. `idport map` shows what the file has.',
    );
  }
  return { names: titles.slice(0, length), end: rows[0]?.start ?? 0 };
}

/** Returns the key of a column. A name that occurs twice or cannot be a key gets the column's number. */
function keyOf(name: string, at: number, names: readonly string[]) {
  return name === '__proto__' || (name !== '' && names.indexOf(name) < at) ? `${name}#${at + 1}` : name;
}

const nullWords = 'NULL null (null) <null> [NULL]'.split(' ');

/** Warns of cells with the word NULL. It counts as text unless the mapping lists it, because a user may be named Null. */
function noticeNullWords(rows: readonly (readonly string[])[], { input, source, notify }: FormRequest) {
  if (source.null !== undefined) return;
  const cells = rows.flat();
  const word = nullWords.find((one) => cells.indexOf(one) !== cells.lastIndexOf(one));
  if (word === undefined) return;
  notify(
    warning(
      'input:null-words',
      `${input.name}: cells hold the word ${word}; if it stands for nothing, write source: { null: ['${word}'] } in the mapping`,
    ),
  );
}

/** Warns if all rows have the same length but the header has another one. Each of these rows would be rejected. */
function noticeHeader(
  rows: readonly (readonly string[])[],
  dialect: RowDialect,
  { input, notify }: FormRequest,
) {
  const first = rows.filter((cells) => cells.some((cell) => cell.trim() !== '')).slice(0, 10);
  const [length, ...others] = new Set(first.map((cells) => cells.length));
  if (first.length < 2 || others.length > 0) return;
  if (first.some((cells) => fitProblem(cells, dialect) === undefined)) return;
  notify(
    warning(
      'input:other-header',
      `${input.name}: the rows have ${length} cells and the header has ${dialect.titles.length} titles: the header and the rows are not of the same export`,
    ),
  );
}
