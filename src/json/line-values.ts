/** Parses batches of lines. A broken line gives an error in its place and does not affect the others. */
import { JsonSyntaxError } from './error.ts';
import { jsonText, parseElements } from './parse.ts';
import { isBlankLine, type LineBatch } from './lines.ts';

const lineFeed = 0x0a;

/** Stands in for a value that could not be parsed. */
export class BrokenLine {
  readonly code: JsonSyntaxError['code'];
  readonly problem: string;
  /** Counted from the start of the batch. */
  readonly offset: number;

  constructor(error: Pick<JsonSyntaxError, 'code' | 'problem' | 'offset'>, start: number) {
    this.code = error.code;
    this.problem = error.problem;
    this.offset = start + error.offset;
  }

  /** The same behind so many bytes. */
  behind(bytes: number): BrokenLine {
    return new BrokenLine(this, bytes);
  }
}

/** The text of a part is garbage before a collection would have to copy it. */
const partBytes = 8 * 1024;

/** The values of the non-blank lines, in order; a line that is not exactly one JSON value gives a `BrokenLine`. */
export function* parseLines({ bytes }: Pick<LineBatch, 'bytes'>): Generator {
  for (let start = 0; start < bytes.length;) {
    const feed = bytes.indexOf(lineFeed, start + partBytes);
    const end = feed === -1 ? bytes.length : feed + 1;
    for (const value of parsePart(bytes.subarray(start, end))) {
      // Its place is in the part.
      yield value instanceof BrokenLine && start > 0 ? value.behind(start) : value;
    }
    start = end;
  }
}

function* parsePart(bytes: Uint8Array): Generator {
  const text = jsonText(bytes);
  if (text === undefined) {
    for (const { start, end } of linesOf(bytes)) yield parseLine(bytes, start, end);
    return;
  }
  let index = 0;
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    const line = text.slice(start, end);
    start = end + 1;
    if (!isBlankText(line)) yield parseText(line, bytes, index++);
  }
}

/** The number (from 1) and the byte offset in the input of a non-blank line of a batch; `index` counts from 0. */
export function positionOfLine(
  batch: Pick<LineBatch, 'bytes' | 'offset' | 'firstLine'>,
  index: number,
): { line: number; offset: number } {
  const { start, line } = lineAt(batch.bytes, index);
  return { line: batch.firstLine + line, offset: batch.offset + start };
}

function lineAt(bytes: Uint8Array, index: number): Line {
  let at = 0;
  for (const line of linesOf(bytes)) {
    if (at === index) return line;
    at++;
  }
  throw new RangeError(`the batch has no line ${index}`);
}

function parseText(line: string, bytes: Uint8Array, index: number): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { start, end } = lineAt(bytes, index);
    return parseLine(bytes, start, end);
  }
}

/** Parses one line alone, to find the position of an error. */
function parseLine(bytes: Uint8Array, start: number, end: number): unknown {
  try {
    const values = [...parseElements(bytes.subarray(start, end))];
    if (values.length === 1) return values[0];
    return new BrokenLine(
      new JsonSyntaxError('input:syntax', 'the line holds more than one value', 0),
      start,
    );
  } catch (error) {
    if (error instanceof JsonSyntaxError) return new BrokenLine(error, start);
    throw error;
  }
}

/** `[start, end)` without the LF; `line` counts from 0, blank ones included. */
interface Line {
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

/** The non-blank lines. */
function* linesOf(bytes: Uint8Array): Generator<Line> {
  let start = 0;
  for (let line = 0; start < bytes.length; line++) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed === -1 ? bytes.length : feed;
    if (!isBlankLine(bytes, start, end)) yield { start, end, line };
    start = end + 1;
  }
}

function isBlankText(line: string): boolean {
  const first = line.charCodeAt(0);
  return line === '' || ((first === 0x20 || first === 0x0d || first === 0x09) && /^[ \r\t]*$/.test(line));
}
