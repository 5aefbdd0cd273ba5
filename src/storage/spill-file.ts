/**
 * Temporary files for data that is seldom needed, which only this process can reach, and bytes that arrive in any order of
 * their groups: 8 MB are in memory, the rest is in such a file.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupBy } from '../lib/group-by.ts';
import type { SpillFile } from '../lib/sink.ts';
import { attemptsAt } from './file-problem.ts';
import { writeFully } from './write-buffer.ts';
import { NumberList } from '../compact/columns.ts';
import { createPieceStore } from '../compact/piece-store.ts';

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
function openTemporaryFile(folder: string): SpillFile {
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

interface GroupedSpillOptions {
  /** Bytes that wait for others of their group. As many again need not go to disk. */
  readonly memoryBytes?: number;
  /** Folder of the temporary file. There is one file, however many groups there are. */
  readonly folder?: string;
}

export type GroupedSpill = ReturnType<typeof createGroupedSpill>;

export function createGroupedSpill({
  memoryBytes = 4 * 1024 * 1024,
  folder = tmpdir(),
}: GroupedSpillOptions = {}) {
  const pieces = createPieceStore(() => openTemporaryFile(folder), memoryBytes);
  /** Numbers of the stored pieces by group. */
  const groups = new Map<number, number[]>();
  /** Bytes that are not stored yet. One block for all groups, because many small ones would be garbage. */
  const memory = Buffer.allocUnsafeSlow(memoryBytes);
  let end = 0;
  /** Group and start of each part of `memory`, which ends where the next one starts. */
  const parts = new NumberList();

  /** Makes one piece of what a group has in memory, because many small pieces would be read one by one. */
  const store = () => {
    const inMemory = groupBy(
      Array.from({ length: parts.length / 2 }, (_, at) => 2 * at),
      (at) => parts.get(at)!,
    );
    for (const [number, starts] of inMemory) {
      const bytes = starts.map((at) => memory.subarray(parts.get(at + 1), parts.get(at + 3) ?? end));
      groups.get(number)!.push(pieces.add(Buffer.concat(bytes)));
    }
    parts.length = 0;
    end = 0;
  };

  return {
    /** Throws `OutputError` if the bytes cannot be written to disk. */
    write(number: number, bytes: Uint8Array) {
      if (bytes.length === 0) return;
      if (!groups.has(number)) groups.set(number, []);
      if (end + bytes.length > memoryBytes) store();
      if (bytes.length > memoryBytes) {
        groups.get(number)!.push(pieces.add(bytes));
        return;
      }
      if (parts.get(parts.length - 2) !== number) parts.push(number, end);
      memory.set(bytes, end);
      end += bytes.length;
    },
    /** Reports whether anything was written for the group. */
    has: (number: number) => groups.has(number),
    *read(number: number) {
      store();
      for (const piece of groups.get(number) ?? []) yield pieces.get(piece);
    },
    close() {
      pieces.close();
      groups.clear();
    },
  };
}
