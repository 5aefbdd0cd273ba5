/**
 * Cuts the elements of a JSON array into batches without parsing them, by quotes, backslashes and brackets alone.
 * Commas and the closing bracket are checked here, the grammar inside an element when its batch is parsed. Also cuts a
 * sequence of root values, separated by white space or nothing.
 */
import { BatchBuilder } from '../lib/batch-memory.ts';
import { describeByte, JsonSyntaxError } from './error.ts';
import { checkJson } from './parse.ts';
import { countValues, isSpace, skipNested, type Nesting } from './skip.ts';

export interface ElementBatch {
  /** Elements separated by commas, without brackets around them; a copy that belongs to the receiver. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The unused rest of the same buffer, for results made of the elements. The buffer may be released after use. */
  readonly room: Uint8Array<ArrayBuffer>;
  /** Offsets in `bytes` of commas between elements, one about every `partBytes`. */
  readonly cuts: readonly number[];
  /** Offset of the first byte in the input. */
  readonly offset: number;
  readonly count: number;
}

/** A record that is too long, of which only the beginning was kept. */
export interface LongElement {
  readonly offset: number;
  readonly length: number;
  readonly head: Uint8Array;
  /** Where these are too many. */
  readonly values?: number | undefined;
}

export interface CutOptions {
  /** True for a sequence of root values, false for the elements of an array. */
  readonly sequence: boolean;
  readonly batchBytes: number;
  readonly maxElementBytes: number;
}

/** The longest record of a user. */
export const maxRecordBytes = 64 * 1024 * 1024;
/**
 * How much of it may be something else than long texts, because values cost many times their bytes in memory. Four
 * times what the target takes in one request, and all that a document of MongoDB may have (Auth0).
 */
export const maxPlainBytes = 16 * 1024 * 1024;
/** Values of a record, nested ones too: an object with a million keys takes fifty times its bytes in memory. */
export const maxRecordValues = 200_000;
/** Shorter records are not counted. */
const uncountedBytes = 1024 * 1024;
/** A shorter piece of a text counts like any value. */
const leastText = 16 * 1024;
/** Bytes kept of a record that is too large, to say whose it is. */
export const longHeadBytes = 4096;

/** Bytes parsed at once. The objects of larger parts outlive V8's young generation, which costs a third of the time. */
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
  readonly #skip: (element: LongElement) => void;
  /** The beginning of the element, where it is too long and being skipped. */
  #skippedHead: Uint8Array | undefined;
  #skippedValues: number | undefined;
  /** The `]` has been read. */
  closed = false;
  #state = FIRST;
  /** Only one value is requested, and `closed` is set after it. */
  #single = false;
  #holdsRecords = false;
  readonly #nesting: Nesting = { depth: 0, inText: false, escaped: false };
  #elementOffset = 0;
  /** Of this element, bytes in blocks that are all inside of one text. */
  #textBytes = 0;
  /** Elements of this array in the batches emitted so far. */
  #emitted = 0;
  /** Elements of the current batch, whose bytes are `#pending` and then this block from `#batchStart` on. */
  #count = 0;
  #inBatch = false;
  #batchOffset = 0;
  #batchStart = 0;
  #endOffset = 0;
  readonly #pending: BatchBuilder;
  /** Offsets in the batch where a comma replaces the white space between values of a sequence. */
  #commas: number[] = [];
  #cuts: number[] = [];

  constructor(
    options: CutOptions,
    emit: (batch: ElementBatch) => void,
    skip: (element: LongElement) => void,
  ) {
    this.#options = options;
    this.#pending = new BatchBuilder(options.batchBytes);
    this.#emit = emit;
    this.#skip = skip;
  }

  /** Elements of the array cut so far. */
  get total(): number {
    return this.#emitted + this.#count;
  }

  /**
   * Begins a new array or, with `single`, one value that is emitted alone. Records that are too long are left out and
   * reported; another element that is too long is an error.
   */
  open({ single = false, holdsRecords = false } = {}): void {
    this.#single = single;
    this.#holdsRecords = holdsRecords;
    this.closed = false;
    this.#state = FIRST;
    this.#emitted = 0;
  }

  /** Cuts `bytes[from, to)`; byte 0 has the offset `base` in the input. Returns where it stopped. */
  cut(bytes: Uint8Array, from: number, to: number, base: number): number {
    this.#batchStart = from;
    try {
      const end = this.#run(bytes, from, to, base);
      if (!this.closed) this.#keep(bytes, to, base);
      return end;
    } catch (error) {
      if (this.#count > 0) this.#emitBatch(bytes, to);
      throw error;
    }
  }

  #run(bytes: Uint8Array, from: number, to: number, base: number): number {
    let i = from;
    while (i < to && !this.closed) {
      if (this.#state === INSIDE) {
        i = skipNested(bytes, i, to, this.#nesting);
        if (this.#nesting.depth === 0 && !this.#nesting.inText) this.#elementEnded(bytes, i, base);
      } else if (this.#state === SCALAR) {
        while (i < to && !endsScalar(bytes[i]!)) i++;
        if (i < to) this.#elementEnded(bytes, i, base);
      } else {
        const byte = bytes[i]!;
        if (!isSpace(byte)) this.#between(bytes, byte, i, base);
        i++;
      }
    }
    return i;
  }

  /** Emits the complete elements. */
  flush(): void {
    if (this.#count > 0) this.#emitBatch(nothing, 0);
  }

  /** The input ended. True where that is allowed: only in a sequence, whose last scalar may end with the input. */
  finish(length: number): boolean {
    if (!this.#options.sequence) return false;
    if (this.#state === SCALAR) this.#elementEnded(nothing, 0, length);
    if (this.#state === INSIDE) return false;
    this.flush();
    return true;
  }

  /** The element that has not ended yet, as far as it was read. */
  unfinished(): { bytes: Uint8Array; offset: number } | undefined {
    if (this.#state !== INSIDE && this.#state !== SCALAR) return undefined;
    if (this.#skippedHead !== undefined) return { bytes: this.#skippedHead, offset: this.#elementOffset };
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

  /** Notes the comma at this offset as a cut where the part before it is long enough. */
  #cutAt(offset: number): void {
    // The comma behind a batch is in none.
    if (!this.#inBatch) return;
    const at = offset - this.#batchOffset;
    if (at - (this.#cuts.at(-1) ?? 0) >= partBytes) this.#cuts.push(at);
  }

  #beginElement(bytes: Uint8Array, byte: number, at: number, base: number): void {
    const offset = base + at;
    if (this.#inBatch && this.#options.sequence) this.#joinSequence(bytes, at, offset);
    if (!this.#inBatch) {
      this.#inBatch = true;
      this.#batchOffset = offset;
      this.#batchStart = at;
    }
    this.#elementOffset = offset;
    this.#textBytes = 0;
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

  /** White space between two values of a sequence becomes a comma; without white space the batch ends. */
  #joinSequence(bytes: Uint8Array, at: number, offset: number): void {
    if (offset > this.#endOffset) {
      this.#commas.push(this.#endOffset - this.#batchOffset);
      this.#cutAt(this.#endOffset);
    } else this.#emitBatch(bytes, at);
  }

  #elementEnded(bytes: Uint8Array, end: number, base: number): void {
    if (this.#isTooLong(base + end) || this.#hasTooMany(bytes, end, base)) this.#leaveOut(bytes, end);
    this.#state = AFTER;
    this.#endOffset = base + end;
    if (this.#skippedHead !== undefined) {
      this.#skip({
        offset: this.#elementOffset,
        length: base + end - this.#elementOffset,
        head: this.#skippedHead,
        values: this.#skippedValues,
      });
      this.#skippedHead = undefined;
      this.#skippedValues = undefined;
      this.#emitted++;
      return;
    }
    this.#count++;
    if (this.#single) this.#close(bytes, end);
    else if (this.#endOffset - this.#batchOffset >= this.#options.batchBytes) this.#emitBatch(bytes, end);
  }

  #close(bytes: Uint8Array, at: number): void {
    if (this.#count > 0) this.#emitBatch(bytes, at);
    this.closed = true;
  }

  /** `bytes[#batchStart, end)` completes the pending bytes; everything after the last element is cut off. */
  #emitBatch(bytes: Uint8Array, end: number): void {
    const length = this.#endOffset - this.#batchOffset;
    const missing = Math.min(length - this.#pending.length, end - this.#batchStart);
    if (missing > 0) this.#pending.append(bytes, this.#batchStart, this.#batchStart + missing);
    const batch = this.#pending.take(length);
    for (const at of this.#commas) batch.bytes[at] = 0x2c;
    this.#emit({
      ...batch,
      cuts: this.#cuts.filter((at) => at < length),
      offset: this.#batchOffset,
      count: this.#count,
    });
    this.#emitted += this.#count;
    this.#count = 0;
    this.#commas = [];
    this.#cuts = [];
    this.#inBatch = false;
  }

  /** Copies what belongs to the batch at the end of a block, because the block is reused. */
  #keep(bytes: Uint8Array, to: number, base: number): void {
    if (!this.#inBatch) return;
    const between = this.#state !== INSIDE && this.#state !== SCALAR;
    if (between && base + to - this.#batchOffset >= this.#options.batchBytes) {
      this.#emitBatch(bytes, to);
      return;
    }
    if (this.#skippedHead !== undefined) return;
    if (this.#nesting.inText && isInsideText(bytes, this.#batchStart, to))
      this.#textBytes += to - this.#batchStart;
    if (!between && this.#isTooLong(base + to)) this.#leaveOut(bytes, to);
    else this.#pending.append(bytes, this.#batchStart, to);
  }

  /** Whether this element, which reaches to `offset`, has just become too long. */
  #isTooLong(offset: number): boolean {
    if (this.#skippedHead !== undefined) return false;
    const length = offset - this.#elementOffset;
    const { maxElementBytes } = this.#options;
    return length > maxElementBytes || (this.#holdsRecords && length - this.#textBytes > maxPlainBytes);
  }

  /** Whether this record, which ends here, has too many values. */
  #hasTooMany(bytes: Uint8Array, end: number, base: number): boolean {
    const isShort = base + end - this.#elementOffset <= uncountedBytes;
    if (isShort || !this.#holdsRecords || this.#skippedHead !== undefined) return false;
    this.#pending.append(bytes, this.#batchStart, end);
    this.#batchStart = end;
    const start = this.#elementOffset - this.#batchOffset;
    this.#skippedValues = excessOf(this.#pending.memory.subarray(start, this.#pending.length));
    return this.#skippedValues !== undefined;
  }

  /** The batch ends before this element. One that is broken is an error, as the quote that ends it may be missing. */
  #leaveOut(bytes: Uint8Array, end: number): void {
    this.#pending.append(bytes, this.#batchStart, end);
    const element = this.#pending.memory.subarray(
      this.#elementOffset - this.#batchOffset,
      this.#pending.length,
    );
    const inside = checkJson(element);
    if (inside?.code === 'input:syntax') this.#fail(inside.problem, this.#elementOffset + inside.offset);
    if (!this.#holdsRecords) {
      const problem = `an element is longer than ${this.#options.maxElementBytes} bytes`;
      throw new JsonSyntaxError('input:element-too-large', problem, this.#elementOffset);
    }
    this.#skippedHead = Buffer.from(element.subarray(0, longHeadBytes));
    if (this.#count > 0) this.#emitBatch(nothing, 0);
    else this.#pending.take();
    this.#inBatch = false;
  }

  #fail(problem: string, offset: number): never {
    throw new JsonSyntaxError('input:syntax', problem, offset);
  }
}

/** How many values a record has, where these are too many. */
export function excessOf(record: Uint8Array): number | undefined {
  if (record.length <= uncountedBytes) return undefined;
  const values = countValues(record);
  return values > maxRecordValues ? values : undefined;
}

/** No quote in so many bytes: with smaller blocks, a value between two texts would count as text. */
export function isInsideText(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from >= leastText && !bytes.subarray(from, to).includes(0x22);
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
