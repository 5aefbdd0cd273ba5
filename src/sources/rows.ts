/** Splits a delimited table into batches of whole rows without parsing them, and parses such batches. */
import { InputError } from '../errors.ts';
import { BatchBuilder } from '../lib/batch-memory.ts';
import { formatCounted } from '../lib/format.ts';
import { endsInBackslash } from '../lib/strings.ts';
import { BrokenRecord } from './raw-record.ts';
import { decodeUtf8 } from './encoding.ts';
import { type Container, put } from './nested-titles.ts';

/** How a table is written. Must survive a structured clone. */
export interface RowDialect {
  readonly delimiter: string;
  readonly titles: readonly string[];
  /** Whether a cell may be quoted. Within it, a quote is doubled (RFC 4180). */
  readonly quotes: boolean;
  /** Whether `\t`, `\"` and `\\` stand for characters and `\N` for nothing, as in MySQL files and Postgres COPY. */
  readonly backslashes: boolean;
  /** Columns of every row, from lines with a name and a value before the titles. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  /** Whether a row with more cells is broken even if they are empty. One more empty cell at its end is allowed. */
  readonly isExact?: boolean;
  /** Whether an apostrophe at the beginning of a cell is no part of it. */
  readonly isMarked?: boolean;
  /** Columns in which titles are places: `identities[0].connection`. Then, empty cells are left out. */
  readonly nested?: readonly string[] | undefined;
  /** Lines that begin like this are not rows. */
  readonly comment?: string | undefined;
  /** Words that mean no value. */
  readonly nulls?: readonly string[] | undefined;
}

/** Some unparsed rows. */
export interface RowElements {
  readonly form: 'rows';
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Byte offset of `bytes` in the input. */
  readonly offset: number;
  /** Line number of the first row, from 1. */
  readonly firstLine: number;
  /** Ends of some rows, at which the batch is best split for parsing. */
  readonly cuts: readonly number[];
  readonly dialect: RowDialect;
}

const defaultBatchBytes = 128 * 1024;
/** So that a part's text and cells are garbage before a collection would have to copy them. */
const partBytes = 8 * 1024;
/** A quote that is never closed must not read the whole file into memory. */
const maxRowBytes = 16 * 1024 * 1024;

/** Further cells of a row are dropped: a million cells need ten times their bytes in memory. */
const maxCells = 100_000;

const lineFeed = 0x0a;
const endOfFile = 0x1a;
const quote = 0x22;
const backslash = 0x5c;

/** Where a byte is in a cell. */
const At = { CellStart: 0, Plain: 1, Quoted: 2, QuoteInQuoted: 3 } as const;

/** Yields batches of rows. Throws `InputError` for a row that never ends. */
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
  /** End of the last whole row in `pending`. `rowLines` is the number of lines up to there. */
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
  // DOS ends a file with ^Z, and some exports fill it up with NULs.
  let { length } = pending;
  while (pending.memory[length - 1] === endOfFile || pending.memory[length - 1] === 0) length--;
  if (length > 0) yield { form: 'rows', bytes: pending.take(length), offset, firstLine, cuts, dialect };
}

/** Splits blocks, so that a batch does not grow much beyond its size. */
async function* inPieces(blocks: AsyncIterable<Uint8Array>, bytes: number) {
  for await (const block of blocks)
    for (let at = 0; at < block.length; at += bytes) yield block.subarray(at, at + bytes);
}

function endlessRow(name: string, line: number, isQuoted: boolean) {
  const problem = isQuoted
    ? `a quote is never closed in the row of line ${line}`
    : `the row of line ${line} is longer than ${maxRowBytes} bytes`;
  return new InputError('input:syntax', name, problem, 'Fix the row, or export as JSON.');
}

/**
 * Yields each row as an object with the titles as keys, or what is wrong with it. Throws `InputError` for bytes that
 * are not text.
 */
export function* parseRows(name: string, { bytes, offset, firstLine, cuts, dialect }: RowElements) {
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
) {
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
      const isLastLine = end === text.length && !text.endsWith('\n');
      yield problem === undefined
        ? Object.assign(toRow(cells, dialect), parameters)
        : new BrokenRecord({
            code: isLastLine && cells.length < titles.length ? 'record:cut-off' : undefined,
            problem: `line ${lineOf(text, start)}: ${problem}`,
            text: text.slice(start, end).trimEnd(),
          });
    }
    start = end;
  }
}

export type CellDialect = Pick<RowDialect, 'delimiter' | 'quotes' | 'backslashes'>;
/** Splits a row that may have quoted cells or backslashes. `isStray`: there is text between a closing quote and the next delimiter. */
function splitCells(text: string, start: number, { delimiter, quotes, backslashes }: CellDialect) {
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

/** Returns the position of the quote that closes a cell: no second one follows it, and no backslash precedes it. */
function closeOf(text: string, start: number, backslashes: boolean) {
  let close = text.indexOf('"', start);
  for (; close !== -1; close = text.indexOf('"', close + 1)) {
    if (backslashes && endsInBackslash(text, close, start)) continue;
    if (text.charCodeAt(close + 1) !== quote) return close;
    close++;
  }
  return text.length;
}

/** Returns the position of the delimiter or line feed that ends the cell, unless a backslash precedes it. */
function endOf(text: string, start: number, separator: number, backslashes: boolean) {
  for (let at = start; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter === separator || letter === lineFeed) return at;
    if (backslashes && letter === backslash) at++;
  }
  return text.length;
}

/** Characters by the letter that follows a backslash. */
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

/**
 * Resolves backslashes. `\N` alone is nothing, and `\0` alone is a one-bit column that is off. `\x41` and `\101` are
 * bytes.
 */
export function unescapeCell(cell: string) {
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

/** Reports whether a row repeats the titles, as in a file joined from several. A byte order mark may precede it. */
const isTitles = (cells: readonly string[], titles: readonly string[]) =>
  cells.length === titles.length &&
  cells.every((cell, at) => cell.trim().toLowerCase() === titles[at]!.toLowerCase());

/**
 * Reads a cell. MySQL and others write nothing as `\N`, and a set bit as its byte. `="0041"` keeps Excel from reading
 * the text as a number.
 */
function readCell(cell: string) {
  if (cell === '\\N') return '';
  if (cell === '\u0001') return '1';
  const formula = cell.startsWith('="') ? /^="((?:[^"]|"")*)"$/.exec(cell)?.[1] : undefined;
  return formula?.replaceAll('""', '"') ?? cell;
}

/**
 * Reports whether a row is the dashes under the titles, or the count below the rows: `(2 rows affected)` in the
 * server's language.
 */
function isFrame(cells: readonly string[], titles: readonly string[]) {
  const [first = ''] = cells;
  if (first.startsWith('-'))
    return cells.length === titles.length && cells.every((cell) => /^-+$/.test(cell));
  return first.startsWith('(') && cells.length === 1 && titles.length > 1 && /^\(\d+ [^()]+\)$/.test(first);
}

/**
 * Returns what is wrong with the number of cells. Extra empty cells do not matter, nor missing cells of columns without
 * a title.
 */
export function fitProblem(cells: readonly string[], { titles, isExact }: RowDialect) {
  if (cells.length === titles.length) return undefined;
  const isTooLong = isExact === true && cells.length > titles.length + 1;
  const rest = cells.length > titles.length ? cells.slice(titles.length) : titles.slice(cells.length);
  if (!isTooLong && rest.every((text) => text.trim() === '')) return undefined;
  return `${formatCounted(cells.length, 'cell')} where there are ${titles.length} titles`;
}

/**
 * Reports whether a cell with line ends contains as many delimiters as rows would. Then a quote before it was not
 * closed, and the cells after it belong to another user.
 */
function swallowsRows(cell: string, delimiter: string, titles: number) {
  if (titles < 2 || !cell.includes('\n')) return false;
  // There may be empty lines between rows.
  const rows = cell.match(/\n(?=.*\S)/g)?.length ?? 0;
  return rows > 0 && cell.split(delimiter).length - 1 === rows * (titles - 1);
}

/** Returns an error, because such a row may contain other users, who would be lost. */
function openQuote(name: string, line: number, problem = 'it seems to hold others') {
  return new InputError(
    'input:syntax',
    name,
    `the row of line ${line} goes over several lines, and ${problem}: a quote is not closed, or closed in the wrong place`,
    'Fix the row, or export as JSON.',
  );
}

const escapedQuote = "a quote in a cell follows a backslash: write source: { escape: '\\' } in the mapping";

/**
 * Reports whether a text has quotes like `"a \"b\" c"`. In files that double quotes, a delimiter follows a closing one.
 */
export function hasEscapedQuote(text: string, delimiter: string) {
  if (!text.includes('\\"')) return false;
  const separator = `\\u{${delimiter.codePointAt(0)!.toString(16)}}`;
  return new RegExp(`(?:^|[\\n${separator}])"[^"\\n]*\\\\"[^"\\r\\n${separator}]`, 'u').test(text);
}

function toRow(cells: readonly string[], { titles, isMarked = false, nested, nulls = [] }: RowDialect) {
  const row: Container = {};
  for (let at = 0; at < titles.length; at++) {
    const title = titles[at]!;
    const cell = nulls.includes(cells[at]!) ? '' : (cells[at] ?? '');
    const text = isMarked ? cell.replace(/^'/, '') : cell;
    if (nested === undefined) row[title] = text;
    else put(row, title, nested, text);
  }
  return row;
}

/** Counts the line ends before a position. */
export function countFeeds(text: string | Uint8Array, end: number) {
  const next = (from: number) =>
    typeof text === 'string' ? text.indexOf('\n', from) : text.indexOf(lineFeed, from);
  let feeds = 0;
  for (let at = next(0); at !== -1 && at < end; at = next(at + 1)) feeds++;
  return feeds;
}

export interface HeadRow {
  readonly cells: readonly string[];
  readonly start: number;
  /** Position of the next row. */
  readonly end: number;
}

/** Yields the cells of the first rows of a text, to search for titles. The last row may be cut off. */
export function* headRows(text: string, dialect: CellDialect): Generator<HeadRow> {
  for (let start = 0; start < text.length;) {
    const { cells, end } = splitCells(text, start, dialect);
    yield { cells, start, end };
    start = end;
  }
}
