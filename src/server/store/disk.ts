/**
 * Keeps the state in a folder: a log of changed rows, and a snapshot of all rows now and then. A change is in the
 * folder before the answer to its request goes out. A line of the log holds one change, or a list of changes that were
 * made together.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { IdportError } from '../../errors.ts';
import { takeLock as takeLockAt } from '../../lib/lock.ts';
import { writeFully } from '../../storage/write-buffer.ts';
import { readLines } from './lines.ts';
import type { Change } from './table.ts';

/** The part of a store that this file needs. */
export interface Kept {
  dump(): Iterable<Change>;
  apply(change: Change): void;
}

export interface DiskOptions {
  /** A snapshot is taken when the log is longer than this many bytes and than the last snapshot. */
  readonly snapshotAfter?: number;
  /** A write failed: from here on nothing is kept. */
  readonly onFailure: (error: IdportError) => void;
}

export interface Disk {
  /** How many changes the folder held. */
  readonly restored: number;
  /** Takes one change of the store; it is in the folder before the event loop goes on. */
  write(change: Change): void;
  /** Set when a write failed; an answer that waits for its changes must not go out then. */
  readonly failure: IdportError | undefined;
  /** Resolves when a snapshot that is being taken is finished. */
  settled(): Promise<void>;
  /** Writes what is pending, and waits for the disk. Rejects when only now something could not be written. */
  close(): Promise<void>;
}

/** Rows may hold password hashes and tokens: the folder is for its owner only. */
const privateFolder = 0o700;
const privateFile = 0o600;
const blockSize = 1024 * 1024;

/**
 * Throws an IdportError `data:locked` when another server works on the folder, `data:damaged` when a line in the
 * middle of a file cannot be read, `data:open` for any other reason. The unfinished last line of a killed process is
 * removed: its request was never answered.
 */
export function openDisk(folder: string, store: Kept, options: DiskOptions): Disk {
  let unlock = (): void => {};
  try {
    fs.mkdirSync(folder, { recursive: true, mode: privateFolder });
    unlock = takeLock(folder);
    return keep(folder, store, options, restore(folder, store), unlock);
  } catch (cause) {
    unlock();
    if (cause instanceof IdportError) throw cause;
    throw new IdportError('data:open', `${folder}: cannot be used: ${(cause as Error).message}`, { cause });
  }
}

interface Found {
  readonly restored: number;
  /** Number of the log that is written on. */
  readonly generation: number;
  readonly snapshotSize: number;
}

const snapshotName = (generation: number): string => `snapshot.${generation}.ndjson`;
const logName = (generation: number): string => `log.${generation}.ndjson`;
/** A snapshot that is being written. */
const partName = /^snapshot\.\d+\.ndjson\.part$/;

/** The newest snapshot, then every log from the same number on: a later log exists when a snapshot was not finished. */
function restore(folder: string, store: Kept): Found {
  const names = fs.readdirSync(folder);
  for (const name of names) if (partName.test(name)) fs.rmSync(join(folder, name));
  const numbers = (pattern: RegExp): number[] =>
    names
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  const snapshot = numbers(/^snapshot\.(\d+)\.ndjson$/).at(-1);
  const logs = numbers(/^log\.(\d+)\.ndjson$/).filter((number) => number >= (snapshot ?? 0));
  const apply = (line: unknown): void => {
    for (const change of Array.isArray(line) ? line : [line]) {
      store.apply(change as Change);
      restored++;
    }
  };
  let restored = 0;
  let snapshotSize = 0;
  if (snapshot !== undefined) {
    const path = join(folder, snapshotName(snapshot));
    readLines(path, 'whole', apply);
    snapshotSize = fs.statSync(path).size;
  }
  for (const log of logs) {
    readLines(join(folder, logName(log)), log === logs.at(-1) ? 'torn' : 'whole', apply);
  }
  return { restored, generation: logs.at(-1) ?? snapshot ?? 1, snapshotSize };
}

function keep(folder: string, store: Kept, options: DiskOptions, found: Found, unlock: () => void): Disk {
  let { generation, snapshotSize } = found;
  let log = openLog(folder, generation);
  let pending: string[] = [];
  let pendingLength = 0;
  let snapshot = Promise.resolve();
  let snapshotRuns = false;
  let open = true;
  let failure: IdportError | undefined;

  const fail = (cause: unknown): void => {
    if (!open) return;
    open = false;
    failure = new IdportError('data:write', `${folder}: could not write to it: ${(cause as Error).message}`, {
      hint: 'Make room on the disk and start again: everything that was answered before is kept.',
      cause,
    });
    options.onFailure(failure);
  };

  /** One line for all changes of one callback: they are kept together or not at all. */
  const flush = (): void => {
    if (pending.length === 0 || !open) return;
    const line = pending.length === 1 ? pending[0]! : `[${pending.join(',')}]`;
    pending = [];
    pendingLength = 0;
    try {
      append(log, Buffer.from(`${line}\n`));
    } catch (cause) {
      fail(cause);
      return;
    }
    if (log.size > Math.max(options.snapshotAfter ?? 64 * blockSize, snapshotSize) && !snapshotRuns) {
      snapshotRuns = true;
      snapshot = takeSnapshot()
        .catch(fail)
        .finally(() => {
          snapshotRuns = false;
        });
    }
  };

  /** Changes go on while it runs: they are in the new log, and a row that is applied twice is the same row. */
  const takeSnapshot = async (): Promise<void> => {
    const next = generation + 1;
    const finished = log;
    log = openLog(folder, next);
    generation = next;
    closeLog(finished);
    const path = join(folder, snapshotName(next));
    const size = await writeAll(`${path}.part`, store.dump(), () => open);
    if (size === undefined) return;
    snapshotSize = size;
    fs.renameSync(`${path}.part`, path);
    removeBefore(folder, next);
  };

  return {
    restored: found.restored,
    write(change) {
      if (!open) return;
      const text = JSON.stringify(change);
      // A microtask runs before any answer is written, and after all changes of this callback.
      if (pending.length === 0) queueMicrotask(flush);
      pending.push(text);
      pendingLength += text.length;
      if (pendingLength > blockSize) flush();
    },
    get failure() {
      return failure;
    },
    settled: () => snapshot,
    async close() {
      const before = failure;
      flush();
      await snapshot;
      flush();
      try {
        closeLog(log);
      } catch (cause) {
        fail(cause);
      }
      open = false;
      unlock();
      if (failure !== before) throw failure;
    },
  };
}

interface Log {
  readonly file: number;
  size: number;
}

function openLog(folder: string, generation: number): Log {
  const file = fs.openSync(join(folder, logName(generation)), 'a', privateFile);
  return { file, size: fs.fstatSync(file).size };
}

/** All of it or nothing: a part that a full disk has taken is removed, so that the log ends with a whole line. */
function append(log: Log, bytes: Uint8Array): void {
  if (fs.fstatSync(log.file).nlink === 0) throw new Error('the log was deleted');
  try {
    writeFully(log.file, bytes);
  } catch (cause) {
    fs.ftruncateSync(log.file, log.size);
    throw cause;
  }
  log.size += bytes.length;
}

/** Some file systems report only now that there was no room. */
function closeLog({ file }: Log): void {
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Other requests run after every block. Returns the bytes written; undefined, and no file, when it was not to go on. */
async function writeAll(
  path: string,
  changes: Iterable<Change>,
  goOn: () => boolean,
): Promise<number | undefined> {
  const log: Log = { file: fs.openSync(path, 'w', privateFile), size: 0 };
  let finished = false;
  try {
    let lines = '';
    for (const change of changes) {
      lines += `${JSON.stringify(change)}\n`;
      if (lines.length < blockSize) continue;
      append(log, Buffer.from(lines));
      lines = '';
      await setImmediate();
      if (!goOn()) return undefined;
    }
    append(log, Buffer.from(lines));
    finished = true;
    return log.size;
  } finally {
    if (!finished) fs.rmSync(path, { force: true });
    closeLog(log);
  }
}

function removeBefore(folder: string, generation: number): void {
  for (const name of fs.readdirSync(folder)) {
    const number = /^(?:log|snapshot)\.(\d+)\.ndjson$/.exec(name)?.[1];
    if (number !== undefined && Number(number) < generation) fs.rmSync(join(folder, name));
  }
}

/** Returns what gives the folder free again. Throws an IdportError `data:locked`. */
export function takeLock(folder: string): () => void {
  const path = join(folder, 'lock');
  const attempt = takeLockAt(path);
  if (attempt.taken) return () => attempt.release();
  throw new IdportError('data:locked', `${folder}: another server (process ${attempt.owner}) works on it`, {
    hint: `Stop that one, or give each server a folder of its own. If no such server runs, remove ${path}.`,
  });
}
