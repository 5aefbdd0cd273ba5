/**
 * Keeps the bytes of what a scan is reading, which may have begun in an earlier block: one piece of a document, or a batch of
 * unparsed elements.
 */
import { BatchBuilder } from '../lib/batch-memory.ts';
import { JsonSyntaxError } from './error.ts';
import { countValues } from './skip.ts';

export interface ElementBatch {
  /**
   * Elements separated by commas, without brackets around them. The buffer has nothing else; it belongs to the receiver and may
   * be released after use.
   */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Offsets in `bytes` of commas between elements, about one every `partBytes`. */
  readonly cuts: readonly number[];
  /** Offset of the first byte in the input. */
  readonly offset: number;
  readonly count: number;
}

/** A record that is too long. Only its beginning was kept. */
export interface LongElement {
  readonly offset: number;
  readonly length: number;
  readonly head: Uint8Array;
  /** Number of values, if there are too many. */
  readonly values?: number | undefined;
}

/** Largest size of a user's record in bytes. */
export const maxRecordBytes = 64 * 1024 * 1024;
/**
 * Largest size of a record apart from long texts, because values take many times their bytes in memory. It is four times what the
 * target accepts in one request, and all that a MongoDB document may have (Auth0).
 */
export const maxPlainBytes = 16 * 1024 * 1024;
/**
 * Largest number of values in a record, including nested ones. An object with a million keys takes fifty times its bytes in
 * memory.
 */
export const maxRecordValues = 200_000;
/** Values of shorter records are not counted. */
const uncountedBytes = 1024 * 1024;
/** A shorter piece of text counts like any value. */
const leastText = 16 * 1024;
/** Bytes kept of a record that is too large, to tell whose it is. */
const longHeadBytes = 4096;
/** Bytes parsed at once. The objects of larger parts survive V8's young generation, which costs a third more time. */
const partBytes = 48 * 1024;

const nothing = new Uint8Array(0);

interface BatchHandlers {
  readonly batch: (batch: ElementBatch) => void;
  readonly long: (element: LongElement) => void;
  /** Checks the beginning of a piece that is too long. Throws if it is broken, because its closing quote may be missing. */
  readonly check: (bytes: Uint8Array, offset: number) => void;
}

export class ElementBatches {
  readonly #batchBytes: number;
  readonly #maxBytes: number;
  readonly #handlers: BatchHandlers;
  readonly #kept: BatchBuilder;
  #block = nothing as Uint8Array;
  /** Offset of the block in the input. */
  #base = 0;
  /** Index in the block at which the kept bytes continue. */
  #from = 0;
  /** Offset of the first kept byte; -1 if there is none. */
  #offset = -1;
  /** Offset of the latest piece. */
  start = 0;
  /** Offset at which the latest complete element ended. */
  #end = 0;
  /** Bytes of this piece in blocks that are completely inside one text. */
  #textBytes = 0;
  /** Number of complete elements that are kept. */
  #count = 0;
  /** Offsets in the batch where a comma replaces the white space between values of a sequence. */
  #commas: number[] = [];
  #cuts: number[] = [];
  /** The elements are records. A record that is too long is left out. */
  holdsRecords = false;
  /** Beginning of a record that is too long and is being left out. */
  #head: Uint8Array | undefined;
  #values: number | undefined;

  constructor(batchBytes: number, maxBytes: number, handlers: BatchHandlers) {
    this.#batchBytes = batchBytes;
    this.#maxBytes = maxBytes;
    this.#kept = new BatchBuilder(batchBytes);
    this.#handlers = handlers;
  }

  /** Continues in the next block. */
  enter(block: Uint8Array, base: number) {
    this.#block = block;
    this.#base = base;
    this.#from = 0;
  }

  /** Begins a piece at this index of the block, or an element if others are complete. */
  begin(at: number) {
    this.start = this.#base + at;
    this.#textBytes = 0;
    if (this.#offset !== -1) return;
    this.#offset = this.start;
    this.#from = at;
  }

  /** Ends the piece. Its bytes are those from `from` to `to`, valid until the next call. */
  take(end: number): { readonly bytes: Uint8Array; readonly from: number; readonly to: number } {
    if (this.#kept.length === 0) {
      this.#offset = -1;
      return { bytes: this.#block, from: this.#from, to: end };
    }
    const bytes = this.#partTo(end);
    this.#offset = -1;
    // Memory this large was only for this piece.
    if (bytes.length > uncountedBytes) this.#kept.take();
    this.#kept.length = 0;
    return { bytes, from: 0, to: bytes.length };
  }

  endElement(end: number) {
    const offset = this.#base + end;
    if (this.#isTooLong(offset) || this.#hasTooMany(end)) this.#leaveOut(end);
    this.#end = offset;
    if (this.#head !== undefined) {
      this.#handlers.long({
        offset: this.start,
        length: this.#end - this.start,
        head: this.#head,
        values: this.#values,
      });
      this.#head = undefined;
      this.#values = undefined;
      return;
    }
    this.#count++;
    if (this.#end - this.#offset >= this.#batchBytes) this.flush();
  }

  /** What began is not an element. Returns whether the batch is empty. */
  cancel() {
    if (this.#count > 0) return false;
    this.#kept.length = 0;
    this.#offset = -1;
    return true;
  }

  /** Records the comma at this offset of the input as a cut if the part before it is long enough. */
  cutAt(offset: number) {
    // The comma after a batch is not in any batch.
    if (this.#offset === -1) return;
    const at = offset - this.#offset;
    if (at - (this.#cuts.at(-1) ?? 0) >= partBytes) this.#cuts.push(at);
  }

  /** Called before the next value of a sequence. White space becomes a comma; without white space, the batch ends. */
  joinAt(at: number) {
    if (this.#count === 0) return;
    if (this.#base + at === this.#end) return this.flush();
    this.#commas.push(this.#end - this.#offset);
    this.cutAt(this.#end);
  }

  /** Emits the complete elements. */
  flush() {
    if (this.#count === 0) return;
    const length = this.#end - this.#offset;
    const missing = length - this.#kept.length;
    if (missing > 0) this.#kept.append(this.#block, this.#from, this.#from + missing);
    const bytes = this.#kept.take(length);
    for (const comma of this.#commas) bytes[comma] = 0x2c;
    const cuts = this.#cuts.filter((cut) => cut < length);
    this.#handlers.batch({ bytes, cuts, offset: this.#offset, count: this.#count });
    this.#count = 0;
    this.#commas = [];
    this.#cuts = [];
    this.#offset = -1;
  }

  /** Copies the kept bytes of the block, which is reused. `isInside`: the latest piece has not ended. */
  keep(isInside: boolean, isInText: boolean) {
    if (this.#offset === -1 || this.#head !== undefined) return;
    const { length } = this.#block;
    const end = this.#base + length;
    if (!isInside) {
      if (end - this.#offset >= this.#batchBytes) return this.flush();
    } else {
      if (isInText && isInsideText(this.#block, this.#from, length)) this.#textBytes += length - this.#from;
      if (this.#isTooLong(end)) return this.#leaveOut(length);
    }
    this.#kept.append(this.#block, this.#from, length);
    this.#from = length;
  }

  /** Returns the piece that has not ended yet, as far as it was read. For a record that is left out, returns its beginning. */
  unfinished() {
    return this.#head ?? this.#partTo(this.#block.length);
  }

  /** Returns the bytes from the beginning of the latest piece to `end`. */
  #partTo(end: number) {
    if (end > this.#from) this.#kept.append(this.#block, this.#from, end);
    this.#from = Math.max(this.#from, end);
    return this.#kept.memory.subarray(this.start - this.#offset, this.#kept.length);
  }

  /** Reports whether the piece, which reaches to `offset`, has just become too long. */
  #isTooLong(offset: number) {
    if (this.#head !== undefined) return false;
    const length = offset - this.start;
    return length > this.#maxBytes || (this.holdsRecords && length - this.#textBytes > maxPlainBytes);
  }

  /** Reports whether this record, which ends here, has too many values. */
  #hasTooMany(end: number) {
    if (!this.holdsRecords || this.#head !== undefined || this.#base + end - this.start <= uncountedBytes)
      return false;
    const values = countValues(this.#partTo(end));
    if (values <= maxRecordValues) return false;
    this.#values = values;
    return true;
  }

  /** Leaves out the piece and ends the batch before it. */
  #leaveOut(end: number) {
    const piece = this.#partTo(end);
    this.#handlers.check(piece, this.start);
    if (!this.holdsRecords) {
      const problem = `an element is longer than ${this.#maxBytes} bytes`;
      throw new JsonSyntaxError('input:element-too-large', problem, this.start);
    }
    this.#head = Buffer.from(piece.subarray(0, longHeadBytes));
    if (this.#count > 0) this.flush();
    else this.#kept.take();
    this.#offset = -1;
  }
}

/** Reports whether there is no quote in this many bytes. With smaller blocks, a value between two texts would count as text. */
function isInsideText(bytes: Uint8Array, from: number, to: number) {
  return to - from >= leastText && !bytes.subarray(from, to).includes(0x22);
}
