/**
 * Memory for batches, used again: what is lent for a batch and given back is lent for one of the next. New memory is
 * dear, because the system clears it page by page, and because V8 collects garbage to get it back.
 */

export interface BatchMemory {
  /** At least so many bytes, whatever stands in them. */
  allocate(bytes: number): ArrayBuffer;
  /** Nobody looks at it any more. What is never given back is collected as garbage. */
  release(buffer: ArrayBuffer): void;
}

/** What is longer came for one huge record and is let go. */
const longestKept = 2 * 1024 * 1024;
/** More than are ever under way at once. */
const mostKept = 64;

export function createBatchMemory(): BatchMemory {
  /** What was used last stands at the end: it may still be in the processor's cache. */
  const kept: ArrayBuffer[] = [];
  return {
    allocate(bytes) {
      const place = kept.findLastIndex(({ byteLength }) => byteLength >= bytes);
      const [buffer] = place === -1 ? [] : kept.splice(place, 1);
      return buffer ?? Buffer.allocUnsafeSlow(bytes).buffer;
    },
    release(buffer) {
      const { byteLength } = buffer;
      // Nothing is left of what has gone to another thread.
      if (byteLength > 0 && byteLength <= longestKept && kept.length < mostKept) kept.push(buffer);
    },
  };
}

/** That of this thread. */
export const batchMemory = createBatchMemory();

/** Free memory in; parts of it out, one behind the other, and new memory where it does not suffice. */
export class BatchSpace {
  readonly #buffer: ArrayBuffer;
  #next: number;
  readonly #end: number;

  /**
   * Without memory each has some of its own, if only of no bytes: what is made in a room may change
   * threads, and is lost here.
   */
  constructor({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer> = new Uint8Array(0)) {
    this.#buffer = buffer;
    this.#next = byteOffset;
    this.#end = byteOffset + byteLength;
  }

  /** Begins at a place where a word may begin. */
  take(bytes: number): Buffer<ArrayBuffer> {
    const start = (this.#next + 7) & ~7;
    if (start + bytes > this.#end) return Buffer.allocUnsafeSlow(bytes);
    this.#next = start + bytes;
    return Buffer.from(this.#buffer, start, bytes);
  }
}

/** The memory of a batch, in lengths of the batch: its bytes, and the part of the body that is made of them. */
const lengths = 2;
const nothing = Buffer.alloc(0);

/** Batches of nearly the same length get the same, so that it can be used again. */
const step = 256 * 1024;

/** For a batch of so many bytes, and what is made of it. */
export function allocateForBatch(bytes: number): ArrayBuffer {
  return batchMemory.allocate(Math.ceil((lengths * bytes) / step) * step);
}

export class BatchBuilder {
  /** Behind `length` stand bytes of an earlier batch. */
  memory: Buffer<ArrayBuffer> = nothing;
  /** Less than before makes the last of them go. */
  length = 0;
  readonly #usual: number;

  /** A batch is about so long. */
  constructor(batchBytes: number) {
    this.#usual = lengths * batchBytes;
  }

  append(block: Uint8Array, from: number, to: number): void {
    const needed = this.length + to - from;
    if (needed > this.memory.length) this.#widen(needed);
    this.memory.set(block.subarray(from, to), this.length);
    this.length = needed;
  }

  /** The first of them, and the rest of the memory; both belong to the receiver, and nothing is left. */
  take(length = this.length): { bytes: Uint8Array<ArrayBuffer>; room: Uint8Array<ArrayBuffer> } {
    const { buffer, byteOffset, length: all } = this.memory;
    this.memory = nothing;
    this.length = 0;
    return {
      bytes: new Uint8Array(buffer, byteOffset, length),
      room: new Uint8Array(buffer, byteOffset + length, all - length),
    };
  }

  #widen(needed: number): void {
    const outgrown = this.memory;
    this.memory = Buffer.from(batchMemory.allocate(Math.max(needed, this.#usual, 2 * outgrown.length)));
    this.memory.set(outgrown.subarray(0, this.length));
    batchMemory.release(outgrown.buffer);
  }
}
