/** Collects small writes into large blocks, so that there are few system calls and no string is kept. */
import { writeSync } from 'node:fs';

const blockSize = 256 * 1024;

/** `flush` gets a block that is reused as soon as `flush` returns. */
export function createWriteBuffer(flush: (block: Uint8Array) => void) {
  const block = Buffer.allocUnsafeSlow(blockSize);
  let used = 0;
  const flushBlock = () => {
    if (used === 0) return;
    const full = block.subarray(0, used);
    used = 0;
    flush(full);
  };
  return {
    /** Adds a chunk and returns its length in bytes. Lone surrogates become U+FFFD, as everywhere in UTF-8. */
    add(chunk: string | Uint8Array) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      if (bytes.length > blockSize - used) flushBlock();
      if (bytes.length >= blockSize) flush(bytes);
      else {
        block.set(bytes, used);
        used += bytes.length;
      }
      return bytes.length;
    },
    flush: flushBlock,
  };
}

/**
 * Writes all bytes, at `position` or at the file's own position. Pipes and terminals may take fewer bytes than given, or none for
 * now. In that case it waits a moment and tries again.
 */
export function writeFully(file: number, bytes: Uint8Array, position?: number) {
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(file, bytes, at, bytes.length - at, position === undefined ? null : position + at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, 2);
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));
