/**
 * A temporary file for data that is seldom needed, which only this process can reach. A folder that is full or cannot
 * be written is not an error: the caller then keeps the data in memory.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SpillFile } from '../lib/sink.ts';
import { writeFully } from './write-buffer.ts';

/** Undefined when the file cannot be created. */
export function openSpillFile(folder = tmpdir()): SpillFile | undefined {
  let file: number;
  try {
    file = openUnlinkedFile(folder);
  } catch {
    return undefined;
  }
  return {
    write(bytes, at) {
      try {
        writeFully(file, bytes, at);
        return true;
      } catch {
        return false;
      }
    },
    read: (into, at) => readFully(file, into, at),
    close: () => closeSync(file),
  };
}

/** Opens a temporary file and removes its name at once, so that only this process can reach it. */
export function openUnlinkedFile(folder: string): number {
  const path = join(folder, `.idport-${randomBytes(8).toString('hex')}.tmp`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

/** Fills `into` with the bytes from `at` on. */
export function readFully(file: number, into: Uint8Array, at: number): void {
  for (let done = 0; done < into.length;) {
    const length = readSync(file, into, done, into.length - done, at + done);
    if (length === 0) throw new RangeError(`nothing was written at ${at + done}`);
    done += length;
  }
}
