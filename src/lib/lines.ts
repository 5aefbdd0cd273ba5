/**
 * Blocks of newline-delimited JSON in; batches of whole lines out, not parsed. A batch is the input's own bytes, so
 * that places in it are places in the input; `parseLines` gives its values, and a broken line costs only itself.
 */
import { batchMemory } from './batch-memory.ts';
import { jsonText } from './json-ascii.ts';
import { JsonSyntaxError } from './json-error.ts';
import type { Pick as PickValues } from './json-pick.ts';
import { parseElements } from './json-parse.ts';

export interface LineOptions {
  /** A batch ends with the first line that reaches this size. */
  readonly batchBytes?: number;
  /** A longer line is told as a `LongLine` and passed over. */
  readonly maxLineBytes?: number;
}

/** Whole lines; a copy that belongs to the receiver. */
export interface LineBatch {
  readonly kind: 'lines';
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The rest of the same buffer: free, for what is made of them. Who is done with both may give it back. */
  readonly room: Uint8Array<ArrayBuffer>;
  /** Where the first of these bytes stands in the input. */
  readonly offset: number;
  /** The number of the first line, from 1, blank ones counted. */
  readonly firstLine: number;
  /** Which record of the input the first one is, from 0, blank lines not counted. */
  readonly index: number;
  /** How many lines are not blank: as many values come out of `parseLines`. */
  readonly count: number;
}

/** A line that was too long to be kept. */
export interface LongLine {
  readonly kind: 'long';
  readonly offset: number;
  readonly line: number;
  readonly index: number;
  readonly length: number;
}

/** Stands in the place of a value that could not be read. */
export class BrokenLine {
  readonly code: JsonSyntaxError['code'];
  readonly problem: string;
  /** From the start of the batch. */
  readonly offset: number;

  constructor(error: JsonSyntaxError, start: number) {
    this.code = error.code;
    this.problem = error.problem;
    this.offset = start + error.offset;
  }
}

const defaultBatchBytes = 128 * 1024;
const defaultMaxLineBytes = 64 * 1024 * 1024;

/** Cuts lines at every LF; a CR before it is white space. Blank lines belong to a batch but are no records. */
export async function* scanLines(
  blocks: AsyncIterable<Uint8Array>,
  options: LineOptions = {},
): AsyncGenerator<LineBatch | LongLine> {
  const cutter = new LineCutter(
    options.batchBytes ?? defaultBatchBytes,
    options.maxLineBytes ?? defaultMaxLineBytes,
  );
  for await (const block of blocks) {
    cutter.feed(block);
    yield* cutter.take();
  }
  cutter.finish();
  yield* cutter.take();
}

/** The values of the lines that are not blank, in order; a line that is not one JSON value gives a `BrokenLine`. */
export function parseLines({ bytes }: Pick<LineBatch, 'bytes'>): unknown[] {
  const text = jsonText(bytes);
  if (text === undefined) return Array.from(linesOf(bytes), ({ start, end }) => parseLine(bytes, start, end));
  const values: unknown[] = [];
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    const line = text.slice(start, end);
    start = end + 1;
    if (!isBlankText(line)) values.push(parseText(line, bytes, values.length));
  }
  return values;
}

/**
 * The same with only what is wanted of each, see `json-pick.ts`; undefined where a line is anything but one object
 * from its first byte on, or blank: then `parseLines` is to have them all.
 */
export function pickLines(
  { bytes, count }: Pick<LineBatch, 'bytes' | 'count'>,
  pick: PickValues,
): unknown[] | undefined {
  const listed = Buffer.from(bytes);
  const starts: number[] = [];
  for (let start = 0; start < listed.length;) {
    starts.push(start);
    const feed = listed.indexOf(0x0a, start);
    start = feed === -1 ? listed.length : feed + 1;
    if (feed !== -1) listed[feed] = start === listed.length ? space : comma;
  }
  // As many objects as lines, each at the start of a line: so no line holds two, and none goes on in the next.
  return starts.length === count ? pick(listed, starts) : undefined;
}

const space = 0x20;
const comma = 0x2c;

/** The number (from 1) and the byte offset in the input of the `place`-th line of a batch that is not blank. */
export function placeOfLine(
  batch: Pick<LineBatch, 'bytes' | 'offset' | 'firstLine'>,
  place: number,
): { line: number; offset: number } {
  const { start, line } = lineAt(batch.bytes, place);
  return { line: batch.firstLine + line, offset: batch.offset + start };
}

function lineAt(bytes: Uint8Array, place: number): Line {
  let at = 0;
  for (const line of linesOf(bytes)) {
    if (at === place) return line;
    at++;
  }
  throw new RangeError(`the batch has no line ${place}`);
}

function parseText(line: string, bytes: Uint8Array, place: number): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { start, end } = lineAt(bytes, place);
    return parseLine(bytes, start, end);
  }
}

/** One line by itself, with the place of what is wrong in it. */
function parseLine(bytes: Uint8Array, start: number, end: number): unknown {
  try {
    const values = parseElements(bytes.subarray(start, end));
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

/** The lines that are not blank. */
function* linesOf(bytes: Uint8Array): Generator<Line> {
  let start = 0;
  for (let line = 0; start < bytes.length; line++) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed === -1 ? bytes.length : feed;
    if (!isBlank(bytes, start, end)) yield { start, end, line };
    start = end + 1;
  }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
}

function isBlankText(line: string): boolean {
  const first = line.charCodeAt(0);
  return line === '' || ((first === 0x20 || first === 0x0d || first === 0x09) && /^[ \r\t]*$/.test(line));
}

const nothing = Buffer.alloc(0);
/** So many times a batch is lent for it: what is made of it is at most about as long as it is, and made twice. */
const lentFor = 3;

class LineCutter {
  readonly #batchBytes: number;
  readonly #maxLineBytes: number;
  #items: (LineBatch | LongLine)[] = [];
  /** The batch that is being gathered; the last line in it may be unfinished. */
  #pending = nothing;
  #pendingBytes = 0;
  #offset = 0;
  #firstLine = 1;
  #index = 0;
  #count = 0;
  #lines = 0;
  /** Where the unfinished line begins in `#pending`. */
  #lineStart = 0;
  /** Bytes of a line that is too long and passed over, or -1. */
  #passed = -1;

  constructor(batchBytes: number, maxLineBytes: number) {
    this.#batchBytes = batchBytes;
    this.#maxLineBytes = maxLineBytes;
  }

  feed(block: Uint8Array): void {
    for (let at = 0; at < block.length;) {
      at = this.#passed < 0 ? this.#gather(block, at) : this.#passOn(block, at);
    }
  }

  finish(): void {
    if (this.#passed >= 0) this.#passOver();
    else if (this.#pendingBytes > this.#lineStart) this.#lineEnded(this.#pendingBytes);
    this.#emit();
  }

  take(): (LineBatch | LongLine)[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  /** Takes as many lines as the batch lacks, in one piece; gives the place behind it. */
  #gather(block: Uint8Array, start: number): number {
    const unfinished = this.#pendingBytes - this.#lineStart;
    const room = this.#maxLineBytes + 1 - unfinished;
    if (room === 0) {
      this.#passed = unfinished;
      this.#pendingBytes = this.#lineStart;
      return start;
    }
    const full = block.indexOf(0x0a, start + Math.max(0, this.#batchBytes - this.#pendingBytes - 1));
    // No line in a piece that is no longer than the room can be too long.
    const end = Math.min(full === -1 ? block.length : full + 1, start + room);
    const from = this.#pendingBytes;
    this.#append(block, start, end);
    this.#endLines(from);
    if (this.#pendingBytes >= this.#batchBytes && this.#lineStart === this.#pendingBytes) this.#emit();
    return end;
  }

  #append(block: Uint8Array, start: number, end: number): void {
    const needed = this.#pendingBytes + end - start;
    if (needed > this.#pending.length) this.#widen(needed);
    this.#pending.set(block.subarray(start, end), this.#pendingBytes);
    this.#pendingBytes = needed;
  }

  #widen(needed: number): void {
    const outgrown = this.#pending;
    const usual = lentFor * this.#batchBytes;
    this.#pending = Buffer.from(batchMemory.lend(Math.max(needed, usual, 2 * outgrown.length)));
    this.#pending.set(outgrown.subarray(0, this.#pendingBytes));
    batchMemory.giveBack(outgrown.buffer);
  }

  /** Counts the lines that end behind `from`. Behind the bytes in use stand those of an earlier batch. */
  #endLines(from: number): void {
    let feed = this.#pending.indexOf(0x0a, from);
    while (feed !== -1 && feed < this.#pendingBytes) {
      this.#lineEnded(feed + 1);
      feed = this.#pending.indexOf(0x0a, feed + 1);
    }
  }

  #lineEnded(end: number): void {
    if (!isBlankLine(this.#pending, this.#lineStart, end)) this.#count++;
    this.#lines++;
    this.#lineStart = end;
  }

  /** A line that is too long goes on. */
  #passOn(block: Uint8Array, start: number): number {
    const feed = block.indexOf(0x0a, start);
    const end = feed === -1 ? block.length : feed + 1;
    this.#passed += end - start;
    if (feed !== -1) this.#passOver();
    return end;
  }

  #passOver(): void {
    const length = this.#passed;
    this.#passed = -1;
    this.#emit();
    this.#items.push({
      kind: 'long',
      offset: this.#offset,
      line: this.#firstLine,
      index: this.#index,
      length,
    });
    this.#offset += length;
    this.#firstLine++;
    this.#index++;
  }

  #emit(): void {
    if (this.#count > 0) {
      this.#items.push({
        kind: 'lines',
        bytes: this.#pending.subarray(0, this.#pendingBytes),
        room: this.#pending.subarray(this.#pendingBytes),
        offset: this.#offset,
        firstLine: this.#firstLine,
        index: this.#index,
        count: this.#count,
      });
      this.#pending = nothing;
    }
    this.#offset += this.#pendingBytes;
    this.#firstLine += this.#lines;
    this.#index += this.#count;
    this.#count = 0;
    this.#lines = 0;
    this.#pendingBytes = 0;
    this.#lineStart = 0;
  }
}

function isBlankLine(bytes: Uint8Array, start: number, end: number): boolean {
  return isBlank(bytes, start, bytes[end - 1] === 0x0a ? end - 1 : end);
}
