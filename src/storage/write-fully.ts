/** An open file and bytes in; all of them written, however the system cuts it up. */
import { writeSync } from 'node:fs';

/** Pipes and terminals may take less than given, or nothing for now: then it waits a moment and goes on. */
export function writeFully(file: number, bytes: Uint8Array): void {
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(file, bytes, at, bytes.length - at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, 2);
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4));
