/**
 * Bytes and their places in, the same bytes out again: a file that only this process can reach, for what is seldom
 * asked for. A folder that cannot be written, or is full, is no failure: it is said, and the bytes stay where they are.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SpillFile } from '../compact/seen-log.ts';
import { writeFully } from './write-buffer.ts';

/** Undefined where there can be no such file. */
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
    read(into, at) {
      for (let done = 0; done < into.length;) {
        const length = readSync(file, into, done, into.length - done, at + done);
        if (length === 0) throw new RangeError(`nothing was written at ${at + done}`);
        done += length;
      }
    },
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
