/**
 * Bytes and their places in, the same bytes out again: a file that only this process can reach, for what is seldom
 * asked for. A folder that cannot be written, or is full, is no failure: it is said, and the bytes stay where they are.
 */
import { closeSync, readSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { SpillFile } from '../compact/seen-log.ts';
import { openNameless } from './nameless.ts';

/** Undefined where there can be no such file. */
export function openSpillFile(folder = tmpdir()): SpillFile | undefined {
  let file: number;
  try {
    file = openNameless(folder);
  } catch {
    return undefined;
  }
  return {
    write(bytes, at) {
      try {
        for (let done = 0; done < bytes.length;) {
          done += writeSync(file, bytes, done, bytes.length - done, at + done);
        }
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
