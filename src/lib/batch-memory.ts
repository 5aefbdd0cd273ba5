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
