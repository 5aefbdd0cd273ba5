/**
 * Keeps the state in a folder: a log of changed rows, and a snapshot of all rows now and then. A change is in the
 * folder before the answer to its request goes out.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { IdportError } from '../../errors.ts';
import { takeLock as takeLockAt } from '../../lib/lock.ts';
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
  /** The disk took no more: from here on nothing is kept. */
  readonly onFailure: (error: IdportError) => void;
}

export interface Disk {
  /** How many rows stood there. */
  readonly restored: number;
  /** Takes one change of the store; it is in the folder before the event loop goes on. */
  write(change: Change): void;
  /** Set when the disk took no more; an answer that waits for its changes must not go out then. */
  readonly failure: IdportError | undefined;
  /** Resolves when a snapshot that is being taken is finished. */
  settled(): Promise<void>;
  /** Writes what is pending, and to the platter. */
  close(): Promise<void>;
}

/** Rows may hold password hashes and tokens: the folder is for its owner only. */
const privateFolder = 0o700;
const privateFile = 0o600;
const blockSize = 1024 * 1024;

/**
 * Throws an IdportError `data:locked` when another server works on the folder, `data:damaged` when a line in the
 * middle of a file cannot be read. A torn last line is what a killed process leaves: its request was never answered, and the line is removed.
 */
export function openDisk(folder: string, store: Kept, options: DiskOptions): Disk {
  fs.mkdirSync(folder, { recursive: true, mode: privateFolder });
  const unlock = takeLock(folder);
  try {
    const found = restore(folder, store);
    return keep(folder, store, options, found, unlock);
  } catch (error) {
    unlock();
    throw error;
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

/** The newest snapshot, then every log from the same number on: a later log exists when a snapshot was not finished. */
function restore(folder: string, store: Kept): Found {
  const numbers = (pattern: RegExp): number[] =>
    fs
      .readdirSync(folder)
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  const snapshot = numbers(/^snapshot\.(\d+)\.ndjson$/).at(-1);
  const logs = numbers(/^log\.(\d+)\.ndjson$/).filter((number) => number >= (snapshot ?? 0));
  const apply = (change: unknown): void => store.apply(change as Change);
  let restored = 0;
  let snapshotSize = 0;
  if (snapshot !== undefined) {
    const path = join(folder, snapshotName(snapshot));
    restored += readLines(path, 'whole', apply);
    snapshotSize = fs.statSync(path).size;
  }
  for (const log of logs) {
    restored += readLines(join(folder, logName(log)), log === logs.at(-1) ? 'torn' : 'whole', apply);
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

  /** One write for all changes of one callback: they are kept together or not at all. */
  const flush = (): void => {
    if (pending.length === 0 || !open) return;
    const text = pending.join('');
    pending = [];
    pendingLength = 0;
    try {
      log.size += fs.writeSync(log.file, text);
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

  /** Changes go on while it runs: they stand in the new log, and a row that is applied twice is the same row. */
  const takeSnapshot = async (): Promise<void> => {
    const next = generation + 1;
    fs.closeSync(log.file);
    log = openLog(folder, next);
    generation = next;
    const path = join(folder, snapshotName(next));
    snapshotSize = await writeAll(`${path}.part`, store.dump(), () => open);
    if (!open) return;
    fs.renameSync(`${path}.part`, path);
    removeBefore(folder, next);
  };

  return {
    restored: found.restored,
    write(change) {
      if (!open) return;
      const line = `${JSON.stringify(change)}\n`;
      // A microtask runs before any answer is written, and after all changes of this callback.
      if (pending.length === 0) queueMicrotask(flush);
      pending.push(line);
      pendingLength += line.length;
      if (pendingLength > blockSize) flush();
    },
    get failure() {
      return failure;
    },
    settled: () => snapshot,
    async close() {
      flush();
      await snapshot;
      flush();
      if (open) {
        open = false;
        fs.fsyncSync(log.file);
      }
      fs.closeSync(log.file);
      unlock();
    },
  };
}

function openLog(folder: string, generation: number): { file: number; size: number } {
  const file = fs.openSync(join(folder, logName(generation)), 'a', privateFile);
  return { file, size: fs.fstatSync(file).size };
}

/** Other requests run after every block. Returns the bytes written. */
async function writeAll(path: string, changes: Iterable<Change>, goOn: () => boolean): Promise<number> {
  const file = fs.openSync(path, 'w', privateFile);
  let size = 0;
  try {
    let block: string[] = [];
    let length = 0;
    for (const change of changes) {
      const line = `${JSON.stringify(change)}\n`;
      block.push(line);
      length += line.length;
      if (length < blockSize) continue;
      size += fs.writeSync(file, block.join(''));
      block = [];
      length = 0;
      await setImmediate();
      if (!goOn()) return size;
    }
    size += fs.writeSync(file, block.join(''));
    fs.fsyncSync(file);
    return size;
  } finally {
    fs.closeSync(file);
  }
}

function removeBefore(folder: string, generation: number): void {
  for (const name of fs.readdirSync(folder)) {
    const number = /^(?:log|snapshot)\.(\d+)\.ndjson(?:\.part)?$/.exec(name)?.[1];
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
