/** Temporary files for data that is seldom needed, which only this process can reach. */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SpillFile } from '../lib/sink.ts';
import { attemptsAt } from './file-problem.ts';
import { writeFully } from './write-buffer.ts';

/**
 * Opens a file for data that can stay in memory. If the folder is full or cannot be written, there is no file, or its `write`
 * returns false.
 */
export function openSpillFile(folder = tmpdir()): SpillFile | undefined {
  const file = tryTo(() => openTemporaryFile(folder));
  return file && { ...file, write: (bytes, at) => tryTo(() => file.write(bytes, at)) === true };
}

function tryTo<T>(step: () => T) {
  try {
    return step();
  } catch {
    return undefined;
  }
}

/** Opens a file for data that does not fit in memory. Throws `OutputError` if the file cannot be created or written. */
export function openTemporaryFile(folder: string): SpillFile {
  const attempt = attemptsAt(folder);
  const file = attempt(() => openUnlinkedFile(folder));
  return {
    write(bytes, at) {
      attempt(() => writeFully(file, bytes, at));
      return true;
    },
    read: (into, at) => readFully(file, into, at),
    close: () => closeSync(file),
  };
}

/** Opens a temporary file and removes its name at once, so that only this process can reach it. */
function openUnlinkedFile(folder: string) {
  const path = join(folder, `.idport-${randomBytes(8).toString('hex')}.tmp`);
  const file = openSync(path, 'wx+', 0o600);
  unlinkSync(path);
  return file;
}

/** Fills `into` with the bytes that start at `at`. */
function readFully(file: number, into: Uint8Array, at: number) {
  for (let done = 0; done < into.length;) {
    const length = readSync(file, into, done, into.length - done, at + done);
    if (length === 0) throw new RangeError(`nothing was written at ${at + done}`);
    done += length;
  }
}
