/** Cuts a delimited table into batches of whole rows without parsing them, and parses such a batch. */
import { InputError } from '../errors.ts';
import { BatchBuilder } from '../lib/batch-memory.ts';
import { endsInBackslash } from '../lib/strings.ts';
import { BrokenRecord } from './broken-record.ts';
import { decodeUtf8 } from './utf8.ts';

/** How a table is written; survives a structured clone. */
export interface RowDialect {
  readonly delimiter: string;
  readonly titles: readonly string[];
  /** A cell may be quoted; inside, a quote is doubled (RFC 4180). */
  readonly quotes: boolean;
  /** `\t`, `\"`, `\\` stand for characters, and `\N` for nothing: files of MySQL, and COPY of Postgres. */
  readonly backslashes: boolean;
  /** Columns that every row has: lines of a name and a value before the titles. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** A row with more cells is broken, also where they are empty; one more at its end is allowed. */
  readonly isExact?: boolean;
  /** Lines that begin so are no rows. */
  readonly comment?: string | undefined;
}

/** Some rows, not parsed. */
export interface RowElements {
  readonly form: 'rows';
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the first byte in the input. */
  readonly offset: number;
  /** From 1. */
  readonly firstLine: number;
  /** Ends of some rows, where the batch is best parsed in parts. */
  readonly cuts: readonly number[];
  readonly dialect: RowDialect;
}

const defaultBatchBytes = 128 * 1024;
/** The text of a part and its cells are garbage before a collection would have to copy them. */
const partBytes = 8 * 1024;
/** A quote that is never closed must not take the file into memory. */
const maxRowBytes = 16 * 1024 * 1024;

/** Further cells of a row are not read: a million of them take ten times their bytes in memory. */
const maxCells = 100_000;

const lineFeed = 0x0a;
const quote = 0x22;
const backslash = 0x5c;

/** Where in a cell a byte is. */
const At = { CellStart: 0, Plain: 1, Quoted: 2, QuoteInQuoted: 3 } as const;

/** Throws `InputError` for a row that never ends. */
export async function* scanRows(
  name: string,
  blocks: AsyncIterable<Uint8Array>,
  dialect: RowDialect,
  start: { readonly offset: number; readonly line: number },
  batchBytes = defaultBatchBytes,
): AsyncGenerator<RowElements> {
  const { quotes, backslashes } = dialect;
  const separator = dialect.delimiter.charCodeAt(0);
  const pending = new BatchBuilder(batchBytes);
  let { offset, line: firstLine } = start;
  let state: number = At.CellStart;
  let lines = 0;
  /** The end of the last whole row in `pending`; `rowLines` has the lines up to there. */
  let rowEnd = 0;
  let cuts: number[] = [];
  let rowLines = 0;
  for await (const block of inPieces(blocks, batchBytes / 4)) {
    const from = pending.length;
    pending.append(block, 0, block.length);
    const { memory, length } = pending;
    for (let at = from; at < length; at++) {
      const byte = memory[at]!;
      if (byte === lineFeed) {
        lines++;
        const end = memory[at - 1] === 0x0d ? at - 1 : at;
        if (state !== At.Quoted && !(backslashes && endsInBackslash(memory, end))) {
          rowEnd = at + 1;
          if (rowEnd - (cuts.at(-1) ?? 0) >= partBytes) cuts.push(rowEnd);
          rowLines = lines;
          state = At.CellStart;
        }
      } else if (state === At.Quoted) {
        if (byte === quote && !(backslashes && endsInBackslash(memory, at))) state = At.QuoteInQuoted;
      } else if (byte === quote && quotes && state !== At.Plain) state = At.Quoted;
      else state = byte === separator ? At.CellStart : At.Plain;
    }
    if (pending.length - rowEnd > maxRowBytes)
      throw endlessRow(name, firstLine + rowLines, state === At.Quoted);
    if (rowEnd < batchBytes) continue;
    const rest = Buffer.from(memory.subarray(rowEnd, length));
    yield { form: 'rows', bytes: pending.take(rowEnd), offset, firstLine, cuts, dialect };
    cuts = [];
    offset += rowEnd;
    firstLine += rowLines;
    lines -= rowLines;
    rowEnd = 0;
    rowLines = 0;
    pending.append(rest, 0, rest.length);
  }
  if (state === At.Quoted) throw endlessRow(name, firstLine + rowLines, true);
  if (pending.length > 0) yield { form: 'rows', bytes: pending.take(), offset, firstLine, cuts, dialect };
}

/** Smaller pieces, so that a batch does not outgrow its memory by much. */
async function* inPieces(blocks: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Uint8Array> {
  for await (const block of blocks)
    for (let at = 0; at < block.length; at += bytes) yield block.subarray(at, at + bytes);
}

function endlessRow(name: string, line: number, isQuoted: boolean) {
  const problem = isQuoted
    ? `a quote is never closed in the row of line ${line}`
    : `the row of line ${line} is longer than ${maxRowBytes} bytes`;
  return new InputError('input:syntax', name, problem, 'Fix the row, or export as JSON.');
}

/** A row as an object with the titles as keys, or what is wrong with it. Throws `InputError` for bytes that are not text. */
export function* parseRows(
  name: string,
  { bytes, offset, firstLine, cuts, dialect }: RowElements,
): Generator<Readonly<Record<string, string>> | BrokenRecord> {
  let start = 0;
  for (const end of [...cuts, bytes.length]) {
    const from = start;
    const lineOf = (text: string, at: number) => firstLine + countFeeds(bytes, from) + countFeeds(text, at);
    const text = decodeUtf8(name, bytes.subarray(start, end), offset + start);
    yield* parsePart(name, text, dialect, lineOf);
    start = end;
  }
}

function* parsePart(
  name: string,
  text: string,
  dialect: RowDialect,
  lineOf: (text: string, at: number) => number,
): Generator<Readonly<Record<string, string>> | BrokenRecord> {
  const { titles, parameters, comment } = dialect;
  const isSuspicious = dialect.quotes && !dialect.backslashes && text.includes('\\"');
  for (let start = 0; start < text.length;) {
    if (text.charCodeAt(start) === lineFeed || (comment !== undefined && text.startsWith(comment, start))) {
      start = text.indexOf('\n', start) + 1 || text.length;
      continue;
    }
    const { cells: written, isStray, end } = splitCells(text, start, dialect);
    const cells = written.map(readCell);
    if (!cells.every((cell) => cell === '') && !isTitles(cells, titles) && !isFrame(cells, titles)) {
      const row = text.slice(start, isSuspicious ? end : start);
      const problem = hasEscapedQuote(row, dialect.delimiter) ? escapedQuote : fitProblem(cells, dialect);
      const isLong = text.slice(start, end).trimEnd().includes('\n');
      const isOpen = isLong && cells.some((cell) => swallowsRows(cell, dialect.delimiter, titles.length));
      if (isOpen || (isLong && (isStray || problem !== undefined)))
        throw openQuote(name, lineOf(text, start), problem);
      yield problem === undefined
        ? Object.assign(toRow(cells, titles), parameters)
        : new BrokenRecord({
            problem: `line ${lineOf(text, start)}: ${problem}`,
            text: text.slice(start, end).trimEnd(),
          });
    }
    start = end;
  }
}

interface Cells {
  readonly cells: string[];
  /** There is something between a closing quote and the next delimiter. */
  readonly isStray: boolean;
  /** Where the next row begins. */
  readonly end: number;
}

type CellDialect = Pick<RowDialect, 'delimiter' | 'quotes' | 'backslashes'>;
/** Some cell may be quoted, or a backslash escape the next character. */
function splitCells(text: string, start: number, { delimiter, quotes, backslashes }: CellDialect): Cells {
  const cells: string[] = [];
  let isStray = false;
  for (let at = start; ;) {
    let cell = '';
    let from = at;
    if (quotes && text.charCodeAt(at) === quote) {
      const close = closeOf(text, at + 1, backslashes);
      cell = text.slice(at + 1, close);
      if (cell.includes('"')) cell = cell.replaceAll('""', '"');
      if (backslashes) cell = unescapeCell(cell);
      from = close + 1;
    }
    const isQuoted = from > at;
    const end = endOf(text, from, delimiter.charCodeAt(0), backslashes);
    const isLast = text[end] !== delimiter;
    if (end > from) {
      const rest = text.slice(from, isLast && text.charCodeAt(end - 1) === 0x0d ? end - 1 : end);
      isStray ||= isQuoted && rest.trim() !== '';
      cell += isQuoted || !backslashes ? rest : unescapeCell(rest);
    }
    if (cells.length < maxCells) cells.push(cell);
    if (isLast) return { cells, isStray, end: Math.min(end + 1, text.length) };
    at = end + 1;
  }
}

/** The position of the quote that closes a cell: no second one follows it, and no backslash precedes it. */
function closeOf(text: string, start: number, backslashes: boolean) {
  let close = text.indexOf('"', start);
  for (; close !== -1; close = text.indexOf('"', close + 1)) {
    if (backslashes && endsInBackslash(text, close, start)) continue;
    if (text.charCodeAt(close + 1) !== quote) return close;
    close++;
  }
  return text.length;
}

/** The position of the delimiter or line feed that ends the cell, unless a backslash precedes it. */
function endOf(text: string, start: number, separator: number, backslashes: boolean) {
  for (let at = start; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter === separator || letter === lineFeed) return at;
    if (backslashes && letter === backslash) at++;
  }
  return text.length;
}

/** By the letter behind a backslash. */
export const escapes: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
  Z: '\x1a',
};

/** `\N` alone is nothing, and `\0` a column of one bit that is off; `\x41` and `\101` are bytes. */
export function unescapeCell(cell: string): string {
  if (cell === '\\N') return '';
  if (cell === '\\0') return '0';
  return cell.replace(
    /\\(?:x([\da-f]{1,2})|([0-3][0-7]{2})|([^]))/gi,
    (_, hex?: string, octal?: string, letter?: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return escapes[letter!] ?? letter!;
    },
  );
}

/** A row of titles in the middle of a file that was put together of several, perhaps behind a byte order mark. */
const isTitles = (cells: readonly string[], titles: readonly string[]) =>
  cells.length === titles.length &&
  cells.every((cell, at) => cell.trim().toLowerCase() === titles[at]!.toLowerCase());

/** MySQL and others write nothing as `\N`, bcp as a NUL, MySQL a bit that is on as its byte; `="0041"` is so that Excel does not take the text for a number. */
function readCell(cell: string) {
  if (cell === '\\N' || cell === '\0') return '';
  if (cell === '\u0001') return '1';
  const formula = cell.startsWith('="') ? /^="((?:[^"]|"")*)"$/.exec(cell)?.[1] : undefined;
  return formula?.replaceAll('""', '"') ?? cell;
}

/** The dashes under the titles, and the count below the rows: `(2 rows affected)`, in the language of the server. */
function isFrame(cells: readonly string[], titles: readonly string[]) {
  const [first = ''] = cells;
  if (first.startsWith('-'))
    return cells.length === titles.length && cells.every((cell) => /^-+$/.test(cell));
  return first.startsWith('(') && cells.length === 1 && titles.length > 1 && /^\(\d+ [^()]+\)$/.test(first);
}

/** Further empty cells do not matter, nor missing ones of columns without a title. */
export function fitProblem(cells: readonly string[], { titles, isExact }: RowDialect): string | undefined {
  if (cells.length === titles.length) return undefined;
  const isTooLong = isExact === true && cells.length > titles.length + 1;
  const rest = cells.length > titles.length ? cells.slice(titles.length) : titles.slice(cells.length);
  if (!isTooLong && rest.every((text) => text.trim() === '')) return undefined;
  return `${cells.length} cells where there are ${titles.length} titles`;
}

/**
 * Whether a cell with line ends holds as many delimiters as rows have: then a quote before it was not closed, and the cells
 * after it are those of another user.
 */
export function swallowsRows(cell: string, delimiter: string, titles: number): boolean {
  if (titles < 2 || !cell.includes('\n')) return false;
  // There may be empty lines between rows.
  const rows = cell.match(/\n(?=.*\S)/g)?.length ?? 0;
  return rows > 0 && cell.split(delimiter).length - 1 === rows * (titles - 1);
}

/** Such a row may hold other users, who would be lost with it. */
export function openQuote(name: string, line: number, problem = 'it seems to hold others'): InputError {
  return new InputError(
    'input:syntax',
    name,
    `the row of line ${line} goes over several lines, and ${problem}: a quote is not closed, or closed in the wrong place`,
    'Fix the row, or export as JSON.',
  );
}

const escapedQuote = "a quote in a cell follows a backslash: write source: { escape: '\\' } in the mapping";

/** `"a \"b\" c"`: in files that double such quotes, a closing one is followed by a delimiter. */
export function hasEscapedQuote(text: string, delimiter: string): boolean {
  if (!text.includes('\\"')) return false;
  const separator = `\\u{${delimiter.codePointAt(0)!.toString(16)}}`;
  return new RegExp(`(?:^|[\\n${separator}])"[^"\\n]*\\\\"[^"\\r\\n${separator}]`, 'u').test(text);
}

function toRow(cells: readonly string[], titles: readonly string[]): Readonly<Record<string, string>> {
  const row: Record<string, string> = {};
  for (let at = 0; at < titles.length; at++) row[titles[at]!] = cells[at] ?? '';
  return row;
}

/** Ends of lines before this place. */
export function countFeeds(text: string | Uint8Array, end: number): number {
  const next = (from: number) =>
    typeof text === 'string' ? text.indexOf('\n', from) : text.indexOf(lineFeed, from);
  let feeds = 0;
  for (let at = next(0); at !== -1 && at < end; at = next(at + 1)) feeds++;
  return feeds;
}

export type HeadRow = Pick<Cells, 'cells' | 'end'> & { readonly start: number };

/** The cells of the first rows of a text, for the search of titles; the last row may be cut. */
export function* headRows(text: string, dialect: Omit<RowDialect, 'titles'>): Generator<HeadRow> {
  for (let start = 0; start < text.length;) {
    const { cells, end } = splitCells(text, start, dialect);
    yield { cells, start, end };
    start = end;
  }
}
