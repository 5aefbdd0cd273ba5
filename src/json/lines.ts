/**
 * Cuts newline-delimited JSON into batches of whole lines without parsing them (see `parseLines` for that). A batch has
 * exactly the bytes of the input, so that offsets in it can be reported.
 */
import { BatchBuilder } from '../lib/batch-memory.ts';
import {
  excessOf,
  isInsideText,
  longHeadBytes,
  type LongElement,
  maxPlainBytes,
  maxRecordBytes,
} from './element-batches.ts';

export interface LineOptions {
  /** A batch ends with the first line that reaches this size. */
  readonly batchBytes?: number;
  /** A longer line is reported as a `LongLine` and skipped. */
  readonly maxLineBytes?: number;
}

/** Whole lines, as a copy that belongs to the receiver. */
export interface LineBatch {
  readonly kind: 'lines';
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The unused rest of the same buffer, for results made of the lines. The buffer may be released after use. */
  readonly room: Uint8Array<ArrayBuffer>;
  /** Offset of the first byte in the input. */
  readonly offset: number;
  /** Number of the first line, from 1, counting blank lines. */
  readonly firstLine: number;
  /** Index of the first record in the input, from 0, not counting blank lines. */
  readonly index: number;
  /** Number of non-blank lines, and so of the values of `parseLines`. */
  readonly count: number;
}

/** A line longer than `maxLineBytes`. */
export interface LongLine extends LongElement {
  readonly kind: 'long';
  readonly line: number;
  readonly index: number;
}

const defaultBatchBytes = 128 * 1024;

/** Lines end with LF; a CR before it is white space. Blank lines are part of a batch but not records. */
export async function* scanLines(
  blocks: AsyncIterable<Uint8Array>,
  options: LineOptions = {},
): AsyncGenerator<LineBatch | LongLine> {
  const cutter = new LineCutter(
    options.batchBytes ?? defaultBatchBytes,
    options.maxLineBytes ?? maxRecordBytes,
  );
  for await (const block of blocks) {
    cutter.feed(block);
    yield* cutter.take();
  }
  cutter.finish();
  yield* cutter.take();
}

class LineCutter {
  readonly #batchBytes: number;
  readonly #maxLineBytes: number;
  #items: (LineBatch | LongLine)[] = [];
  /** The current batch; its last line may be unfinished. */
  readonly #pending: BatchBuilder;
  #offset = 0;
  #firstLine = 1;
  #index = 0;
  #count = 0;
  #lines = 0;
  /** Where the unfinished line begins in `#pending`. */
  #lineStart = 0;
  /** Of the unfinished line, bytes of pieces that are all inside of one text. */
  #textBytes = 0;
  /** Bytes skipped so far of a line that is too long, or -1. */
  #skipped = -1;
  #skippedHead: Uint8Array = Buffer.alloc(0);

  constructor(batchBytes: number, maxLineBytes: number) {
    this.#batchBytes = batchBytes;
    this.#pending = new BatchBuilder(batchBytes);
    this.#maxLineBytes = maxLineBytes;
  }

  feed(block: Uint8Array): void {
    for (let at = 0; at < block.length;) {
      at = this.#skipped < 0 ? this.#append(block, at) : this.#skip(block, at);
    }
  }

  finish(): void {
    if (this.#skipped >= 0) this.#emitLong();
    else if (this.#pending.length > this.#lineStart) this.#lineEnded(this.#pending.length);
    this.#emit();
  }

  take(): (LineBatch | LongLine)[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  /** Appends the lines that the batch still needs, in one piece. Returns the index after it. */
  #append(block: Uint8Array, start: number): number {
    const unfinished = this.#pending.length - this.#lineStart;
    const most = Math.min(this.#maxLineBytes, maxPlainBytes + this.#textBytes);
    const room = most + 1 - unfinished;
    if (room <= 0) {
      this.#skipped = unfinished;
      this.#beginSkip();
      return start;
    }
    const full = block.indexOf(0x0a, start + Math.max(0, this.#batchBytes - this.#pending.length - 1));
    // A piece that fits into the room cannot hold a line that is too long.
    const end = Math.min(full === -1 ? block.length : full + 1, start + room);
    const from = this.#pending.length;
    this.#pending.append(block, start, end);
    this.#endLines(from);
    const isWhole = block[end - 1] === 0x0a;
    if (!isWhole && this.#lineStart < from && isInsideText(block, start, end)) this.#textBytes += end - start;
    if (this.#pending.length >= this.#batchBytes && this.#lineStart === this.#pending.length) this.#emit();
    return end;
  }

  /** Counts the lines that end after `from`. The memory after `length` holds bytes of an earlier batch. */
  #endLines(from: number): void {
    const { memory, length } = this.#pending;
    let feed = memory.indexOf(0x0a, from);
    while (feed !== -1 && feed < length) {
      this.#lineEnded(feed + 1);
      feed = memory.indexOf(0x0a, feed + 1);
    }
  }

  #lineEnded(end: number): void {
    const values = excessOf(this.#pending.memory.subarray(this.#lineStart, end));
    if (values !== undefined) {
      this.#beginSkip();
      this.#skipped = end - this.#lineStart;
      this.#emitLong(values);
      return;
    }
    if (!isBlankLine(this.#pending.memory, this.#lineStart, end)) this.#count++;
    this.#lines++;
    this.#lineStart = end;
    this.#textBytes = 0;
  }

  /** Keeps only the beginning of the last line. */
  #beginSkip(): void {
    const line = this.#pending.memory.subarray(this.#lineStart);
    this.#skippedHead = Buffer.from(line.subarray(0, longHeadBytes));
    this.#pending.length = this.#lineStart;
  }

  /** Skips more of a line that is too long. */
  #skip(block: Uint8Array, start: number): number {
    const feed = block.indexOf(0x0a, start);
    const end = feed === -1 ? block.length : feed + 1;
    this.#skipped += end - start;
    if (feed !== -1) this.#emitLong();
    return end;
  }

  #emitLong(values?: number): void {
    const length = this.#skipped;
    this.#skipped = -1;
    this.#textBytes = 0;
    this.#emit();
    this.#items.push({
      kind: 'long',
      offset: this.#offset,
      line: this.#firstLine,
      index: this.#index,
      length,
      head: this.#skippedHead,
      values,
    });
    this.#offset += length;
    this.#firstLine++;
    this.#index++;
  }

  #emit(): void {
    const { length } = this.#pending;
    if (this.#count > 0) {
      this.#items.push({
        kind: 'lines',
        ...this.#pending.take(),
        offset: this.#offset,
        firstLine: this.#firstLine,
        index: this.#index,
        count: this.#count,
      });
    }
    this.#pending.length = 0;
    this.#offset += length;
    this.#firstLine += this.#lines;
    this.#index += this.#count;
    this.#count = 0;
    this.#lines = 0;
    this.#lineStart = 0;
  }
}

function isBlankLine(bytes: Uint8Array, start: number, end: number): boolean {
  return isBlank(bytes, start, bytes[end - 1] === 0x0a ? end - 1 : end);
}

/** Whether `bytes[start, end)`, a line without its LF, is white space only. */
export function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
}
