/**
 * Bytes behind a `[` in; batches of whole elements out, cut by quotes, backslashes and brackets alone. The grammar
 * inside an element is left to whoever parses the batch; commas and the closing bracket are checked here. The same
 * machine cuts a sequence of root values, with nothing or white space between them.
 */
import { BatchBuilder } from '../lib/batch-memory.ts';
import { describeByte, JsonSyntaxError } from './error.ts';
import { skipNested, type Nesting } from './skip.ts';

export interface ElementBatch {
  /** Elements with commas between them, without brackets round them; a copy that belongs to the receiver. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The rest of the same buffer: free, for what is made of them. Who is done with both may give it back. */
  readonly room: Uint8Array<ArrayBuffer>;
  /** RecordNumbers in `bytes` of commas between elements, one every `partBytes` or so. */
  readonly cuts: readonly number[];
  /** Where the first of these bytes stands in the input. */
  readonly offset: number;
  readonly count: number;
}

export interface CutOptions {
  /** True for root values one after the other, false for the elements of an array. */
  readonly sequence: boolean;
  readonly batchBytes: number;
  readonly maxElementBytes: number;
  /** With it, the first batch is only so long, and cutting stops behind each one that is long enough. */
  readonly firstBatchBytes?: number | undefined;
}

/** What is parsed at once: the objects of much more outlive V8's young generation, which costs a third of the time. */
export const partBytes = 48 * 1024;

const nothing = new Uint8Array(0);

const FIRST = 0;
const NEXT = 1;
const AFTER = 2;
const INSIDE = 3;
const SCALAR = 4;

export class ElementCutter {
  readonly #options: CutOptions;
  readonly #emit: (batch: ElementBatch) => void;
  /** True when the `]` has been read. */
  closed = false;
  /** True when it has stopped right behind a batch. */
  paused = false;
  #state = FIRST;
  /** Only one value is wanted; `closed` comes behind it. */
  #single = false;
  readonly #nesting: Nesting = { depth: 0, inText: false, escaped: false };
  #elementOffset = 0;
  /** Elements of this array that have been handed out. */
  #emitted = 0;
  /** The batch that is being gathered: its bytes of earlier blocks, then of this block from `#batchStart` on. */
  #count = 0;
  #gathering = false;
  #batchOffset = 0;
  #batchStart = 0;
  #endOffset = 0;
  readonly #pending: BatchBuilder;
  /** The next batch is long enough with so many bytes. */
  #enough: number;
  /** Where a comma has to be put between values of a sequence, counted from the start of the batch. */
  #commas: number[] = [];
  #cuts: number[] = [];

  constructor(options: CutOptions, emit: (batch: ElementBatch) => void) {
    this.#options = options;
    this.#pending = new BatchBuilder(options.batchBytes);
    this.#enough = options.firstBatchBytes ?? options.batchBytes;
    this.#emit = emit;
  }

  /** How many elements of the array have been cut. */
  get total(): number {
    return this.#emitted + this.#count;
  }

  /** A new array begins; or, with `single`, one value that is handed out alone. */
  open(single = false): void {
    this.#single = single;
    this.closed = false;
    this.#state = FIRST;
    this.#emitted = 0;
  }

  /** Cuts `bytes[from, to)`, of which byte 0 stands at `base` in the input. Returns where it stopped. */
  cut(bytes: Uint8Array, from: number, to: number, base: number): number {
    this.#batchStart = from;
    this.paused = false;
    try {
      const end = this.#run(bytes, from, to, base);
      if (!this.closed && !this.paused) this.#keep(bytes, to, base);
      return end;
    } catch (error) {
      if (this.#count > 0) this.#emitBatch(bytes, to);
      throw error;
    }
  }

  #run(bytes: Uint8Array, from: number, to: number, base: number): number {
    let i = from;
    while (i < to && !this.closed && !this.paused) {
      if (this.#state === INSIDE) {
        i = skipNested(bytes, i, to, this.#nesting);
        if (this.#nesting.depth === 0 && !this.#nesting.inText) this.#elementEnded(bytes, i, base);
      } else if (this.#state === SCALAR) {
        while (i < to && !endsScalar(bytes[i]!)) i++;
        if (i < to) this.#elementEnded(bytes, i, base);
      } else {
        const byte = bytes[i]!;
        if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
          this.#between(bytes, byte, i, base);
        }
        i++;
      }
    }
    return i;
  }

  /** Hands out the elements that are complete. */
  flush(): void {
    if (this.#count > 0) this.#emitBatch(nothing, 0);
  }

  /** The input ended: true when that is allowed here. Only a sequence may, and the last scalar ends with it. */
  finish(length: number): boolean {
    if (!this.#options.sequence) return false;
    if (this.#state === SCALAR) this.#elementEnded(nothing, 0, length);
    if (this.#state === INSIDE) return false;
    this.flush();
    return true;
  }

  /** The element that has begun and not ended, as far as it has been read. */
  unfinished(): { bytes: Uint8Array; offset: number } | undefined {
    if (this.#state !== INSIDE && this.#state !== SCALAR) return undefined;
    const start = this.#elementOffset - this.#batchOffset;
    const bytes = this.#pending.memory.subarray(start, this.#pending.length);
    return { bytes, offset: this.#elementOffset };
  }

  /** A byte between elements that is not white space. */
  #between(bytes: Uint8Array, byte: number, at: number, base: number): void {
    const state = this.#state;
    if (state === AFTER && !this.#options.sequence) {
      if (byte === 0x2c) {
        this.#state = NEXT;
        this.#cutAt(base + at);
      } else if (byte === 0x5d) this.#close(bytes, at);
      else this.#fail(`expected "," or "]" after an element but found ${describeByte(byte)}`, base + at);
      return;
    }
    if (byte === 0x5d && state === FIRST && !this.#options.sequence) {
      this.#close(bytes, at);
      return;
    }
    if (byte === 0x5d && state === NEXT) {
      this.#fail('a comma stands before "]" without anything after it', base + at);
    }
    this.#beginElement(bytes, byte, at, base);
  }

  /** A comma stands here; where the part is long enough, it is a place to cut at. */
  #cutAt(offset: number): void {
    const place = offset - this.#batchOffset;
    if (place - (this.#cuts.at(-1) ?? 0) >= partBytes) this.#cuts.push(place);
  }

  #beginElement(bytes: Uint8Array, byte: number, at: number, base: number): void {
    const offset = base + at;
    if (this.#gathering && this.#options.sequence) this.#joinSequence(bytes, at, offset);
    if (!this.#gathering) {
      this.#gathering = true;
      this.#batchOffset = offset;
      this.#batchStart = at;
    }
    this.#elementOffset = offset;
    if (byte === 0x7b || byte === 0x5b) {
      this.#state = INSIDE;
      this.#nesting.depth = 1;
    } else if (byte === 0x22) {
      this.#state = INSIDE;
      this.#nesting.inText = true;
    } else if (
      byte === 0x2d ||
      (byte >= 0x30 && byte <= 0x39) ||
      byte === 0x74 ||
      byte === 0x66 ||
      byte === 0x6e
    ) {
      this.#state = SCALAR;
    } else {
      this.#fail(`expected a value but found ${describeByte(byte)}`, offset);
    }
  }

  /** Between two values of a sequence white space becomes a comma; where there is none, the batch ends. */
  #joinSequence(bytes: Uint8Array, at: number, offset: number): void {
    if (offset > this.#endOffset) {
      this.#commas.push(this.#endOffset - this.#batchOffset);
      this.#cutAt(this.#endOffset);
    } else this.#emitBatch(bytes, at);
  }

  #elementEnded(bytes: Uint8Array, end: number, base: number): void {
    this.#checkSize(base + end);
    this.#state = AFTER;
    this.#endOffset = base + end;
    this.#count++;
    if (this.#single) this.#close(bytes, end);
    else if (this.#endOffset - this.#batchOffset >= this.#enough) {
      this.#emitBatch(bytes, end);
      this.#enough = this.#options.batchBytes;
      this.paused = this.#options.firstBatchBytes !== undefined;
    }
  }

  #close(bytes: Uint8Array, at: number): void {
    if (this.#count > 0) this.#emitBatch(bytes, at);
    this.closed = true;
  }

  /** `bytes[#batchStart, end)` completes what is pending; what stands behind the last element is cut off. */
  #emitBatch(bytes: Uint8Array, end: number): void {
    const length = this.#endOffset - this.#batchOffset;
    const missing = Math.min(length - this.#pending.length, end - this.#batchStart);
    if (missing > 0) this.#pending.append(bytes, this.#batchStart, this.#batchStart + missing);
    const batch = this.#pending.take(length);
    for (const at of this.#commas) batch.bytes[at] = 0x2c;
    this.#emit({
      ...batch,
      cuts: this.#cuts.filter((place) => place < length),
      offset: this.#batchOffset,
      count: this.#count,
    });
    this.#emitted += this.#count;
    this.#count = 0;
    this.#commas = [];
    this.#cuts = [];
    this.#gathering = false;
  }

  /** The block ends: what belongs to the batch is kept, so that the block can be used again. */
  #keep(bytes: Uint8Array, to: number, base: number): void {
    if (!this.#gathering) return;
    const between = this.#state !== INSIDE && this.#state !== SCALAR;
    if (between && base + to - this.#batchOffset >= this.#enough) {
      this.#emitBatch(bytes, to);
      return;
    }
    this.#pending.append(bytes, this.#batchStart, to);
    if (!between) this.#checkSize(base + to);
  }

  #checkSize(offset: number): void {
    if (offset - this.#elementOffset <= this.#options.maxElementBytes) return;
    const problem = `an element is longer than ${this.#options.maxElementBytes} bytes`;
    throw new JsonSyntaxError('input:element-too-large', problem, this.#elementOffset);
  }

  #fail(problem: string, offset: number): never {
    throw new JsonSyntaxError('input:syntax', problem, offset);
  }
}

function endsScalar(byte: number): boolean {
  return (
    byte <= 0x20 ||
    byte === 0x2c ||
    byte === 0x5d ||
    byte === 0x7d ||
    byte === 0x22 ||
    byte === 0x3a ||
    byte === 0x5b ||
    byte === 0x7b
  );
}
