/**
 * Reuses the memory of batches: released buffers serve the next batches. New memory is expensive, because the system clears it
 * page by page and V8 has to collect it as garbage.
 */

/** Longer buffers belonged to one huge record and are not kept. */
const maxKeptBytes = 2 * 1024 * 1024;
/** More buffers than are ever in use at once. */
const maxKept = 64;

export function createBatchMemory() {
  /** The latest buffer is last, because it may still be in the processor's cache. */
  const kept: ArrayBuffer[] = [];
  return {
    /** Returns a buffer of at least this many bytes, with arbitrary contents. */
    allocate(bytes: number) {
      let best = -1;
      let least = Infinity;
      for (const [index, { byteLength }] of kept.entries()) {
        if (byteLength < bytes || byteLength > least) continue;
        best = index;
        least = byteLength;
      }
      const [buffer] = best === -1 ? [] : kept.splice(best, 1);
      return buffer ?? Buffer.allocUnsafeSlow(bytes).buffer;
    },
    /** Returns a buffer of more bytes than an outgrown one, which is released. It begins with the same bytes. */
    widen(outgrown: ArrayBuffer, bytes: number) {
      const wider = this.allocate(bytes);
      new Uint8Array(wider).set(new Uint8Array(outgrown));
      this.release(outgrown);
      return wider;
    },
    /** Accepts a buffer that is no longer used. A buffer that is never released is collected as garbage. */
    release(buffer: ArrayBuffer) {
      const { byteLength } = buffer;
      // A buffer that was moved to another thread has no bytes left.
      if (byteLength === 0 || byteLength > maxKeptBytes) return;
      // The oldest buffer goes: those that have become too short for every batch must not displace those in use.
      if (kept.push(buffer) > maxKept) kept.shift();
    },
  };
}

/** Memory of this thread. */
export const batchMemory = createBatchMemory();

const nothing = Buffer.alloc(0);

export class BatchBuilder {
  /** Bytes after `length` belong to an earlier batch. */
  memory: Buffer<ArrayBuffer> = nothing;
  /** May be reduced to remove bytes at the end. */
  length = 0;
  readonly #usual: number;

  /** `batchBytes` is the usual size of a batch. */
  constructor(batchBytes: number) {
    // A batch ends somewhere in the block that makes it long enough.
    this.#usual = 2 * batchBytes;
  }

  append(block: Uint8Array, from: number, to: number) {
    const needed = this.length + to - from;
    const { buffer, length } = this.memory;
    if (needed > length)
      this.memory = Buffer.from(batchMemory.widen(buffer, Math.max(needed, this.#usual, 2 * length)));
    this.memory.set(block.subarray(from, to), this.length);
    this.length = needed;
  }

  /** Returns the first `length` bytes, whose buffer now belongs to the caller. The builder is then empty. */
  take(length = this.length) {
    const { buffer, byteOffset } = this.memory;
    this.memory = nothing;
    this.length = 0;
    return new Uint8Array(buffer, byteOffset, length);
  }
}
