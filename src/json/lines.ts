/**
 * Blocks of newline-delimited JSON in; batches of whole lines out, not parsed. A batch is the input's own bytes, so
 * that places in it are places in the input; `parseLines` (`line-values.ts`) gives its values, and a broken line costs
 * only itself.
 */
import { BatchBuilder } from '../lib/batch-memory.ts';
import { isBlank } from './line-values.ts';

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

class LineCutter {
  readonly #batchBytes: number;
  readonly #maxLineBytes: number;
  #items: (LineBatch | LongLine)[] = [];
  /** The batch that is being gathered; the last line in it may be unfinished. */
  readonly #pending: BatchBuilder;
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
    this.#pending = new BatchBuilder(batchBytes);
    this.#maxLineBytes = maxLineBytes;
  }

  feed(block: Uint8Array): void {
    for (let at = 0; at < block.length;) {
      at = this.#passed < 0 ? this.#gather(block, at) : this.#passOn(block, at);
    }
  }

  finish(): void {
    if (this.#passed >= 0) this.#passOver();
    else if (this.#pending.length > this.#lineStart) this.#lineEnded(this.#pending.length);
    this.#emit();
  }

  take(): (LineBatch | LongLine)[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  /** Takes as many lines as the batch lacks, in one piece; gives the place behind it. */
  #gather(block: Uint8Array, start: number): number {
    const unfinished = this.#pending.length - this.#lineStart;
    const room = this.#maxLineBytes + 1 - unfinished;
    if (room === 0) {
      this.#passed = unfinished;
      this.#pending.length = this.#lineStart;
      return start;
    }
    const full = block.indexOf(0x0a, start + Math.max(0, this.#batchBytes - this.#pending.length - 1));
    // No line in a piece that is no longer than the room can be too long.
    const end = Math.min(full === -1 ? block.length : full + 1, start + room);
    const from = this.#pending.length;
    this.#pending.append(block, start, end);
    this.#endLines(from);
    if (this.#pending.length >= this.#batchBytes && this.#lineStart === this.#pending.length) this.#emit();
    return end;
  }

  /** Counts the lines that end behind `from`. Behind the bytes in use stand those of an earlier batch. */
  #endLines(from: number): void {
    const { memory, length } = this.#pending;
    let feed = memory.indexOf(0x0a, from);
    while (feed !== -1 && feed < length) {
      this.#lineEnded(feed + 1);
      feed = memory.indexOf(0x0a, feed + 1);
    }
  }

  #lineEnded(end: number): void {
    if (!isBlankLine(this.#pending.memory, this.#lineStart, end)) this.#count++;
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
