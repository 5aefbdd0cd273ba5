/** Pieces of blocks in, the bytes of a batch in memory that is lent for it, with room behind them, out. */
import { batchMemory } from './batch-memory.ts';

/** So many times a batch is lent for it: what is made of it is at most about as long as it is, and made twice. */
const lentFor = 2;
const nothing = Buffer.alloc(0);

/** Batches of nearly the same length get the same, so that it can be used again. */
const step = 256 * 1024;

/** For a batch of so many bytes, and what is made of it. */
export function allocateForBatch(bytes: number): ArrayBuffer {
  return batchMemory.allocate(Math.ceil((lentFor * bytes) / step) * step);
}

export class BatchBuilder {
  /** Behind `length` stand bytes of an earlier batch. */
  memory: Buffer<ArrayBuffer> = nothing;
  /** Less than before makes the last of them go. */
  length = 0;
  readonly #usual: number;

  /** A batch is about so long. */
  constructor(batchBytes: number) {
    this.#usual = lentFor * batchBytes;
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
