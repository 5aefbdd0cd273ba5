/** Parses batches of lines. A broken line yields its error in its place and does not affect the others. */
import { caught, JsonSyntaxError } from './error.ts';
import { jsonText, parseElements } from './parse.ts';
import { isBlankLine, type LineBatch } from './lines.ts';

const lineFeed = 0x0a;

/** Small enough that the text of a part is garbage before a collection has to copy it. */
const partBytes = 8 * 1024;

/**
 * Yields the values of the non-blank lines in order. A line that is not exactly one JSON value yields a `JsonSyntaxError`, whose
 * offset counts from the start of the line.
 */
export function* parseLines({ bytes }: Pick<LineBatch, 'bytes'>): Generator {
  for (let start = 0; start < bytes.length;) {
    const feed = bytes.indexOf(lineFeed, start + partBytes);
    const end = feed === -1 ? bytes.length : feed + 1;
    const part = bytes.subarray(start, end);
    yield* parseTogether(part) ?? Array.from(linesOf(part), (line) => parseLine(line.bytes));
    start = end;
  }
}

/** Returns undefined if something is wrong with one of the lines. */
function parseTogether(part: Uint8Array) {
  const lines = jsonText(part)?.split('\n');
  try {
    return lines?.filter((line) => /[^ \r\t]/.test(line)).map((line) => JSON.parse(line) as unknown);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function parseLine(bytes: Uint8Array) {
  let values: unknown[] = [];
  const error = caught(() => {
    values = [...parseElements(bytes)];
  });
  if (error !== undefined || values.length === 1) return error ?? values[0];
  return new JsonSyntaxError('input:syntax', 'the line holds more than one value', 0);
}

export interface Line {
  /** Bytes of the line without its LF. */
  readonly bytes: Uint8Array;
  /** Offset of the first byte. */
  readonly offset: number;
  /** Line number, which also counts blank lines. */
  readonly line: number;
}

/** Returns the non-blank lines of a batch, with their numbers (from 1) and their offsets in the input. */
export function linesIn({
  bytes,
  offset,
  firstLine,
}: Pick<LineBatch, 'bytes' | 'offset' | 'firstLine'>): readonly Line[] {
  return Array.from(linesOf(bytes), (found) => ({
    bytes: found.bytes,
    offset: offset + found.offset,
    line: firstLine + found.line,
  }));
}

/** Yields the non-blank lines, with offsets and numbers from 0. */
function* linesOf(bytes: Uint8Array) {
  let start = 0;
  for (let line = 0; start < bytes.length; line++) {
    const feed = bytes.indexOf(lineFeed, start);
    const end = feed === -1 ? bytes.length : feed;
    if (!isBlankLine(bytes, start, end)) yield { bytes: bytes.subarray(start, end), offset: start, line };
    start = end + 1;
  }
}
