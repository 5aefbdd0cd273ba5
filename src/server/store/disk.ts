/**
 * Keeps the state in a folder: a log of changed rows, and a snapshot of all rows now and then. A change is in the
 * folder before the answer to its request goes out. A line of the log holds one change, or a list of changes that were
 * made together.
 */
import * as fs from 'node:fs';
import { join } from 'node:path';
import { IdportError } from '../../errors.ts';
import { nameHolder, takeLock as takeLockAt, type Lock, type LockOptions } from '../../lib/lock.ts';
import { readLines } from './lines.ts';
import { append, blockSize, closeLog, isDeleted, openLog, writeAll, type Log } from './log.ts';
import type { Change } from './table.ts';

/** The part of a store that this file needs. */
export interface Kept {
  dump(): Iterable<Change>;
  apply(change: Change): void;
}

export interface DiskOptions extends LockOptions {
  /** A snapshot is taken when the log is longer than this many bytes and than the last snapshot. */
  readonly snapshotAfter?: number;
  /** A write failed: from here on nothing is kept. */
  readonly onFailure: (error: IdportError) => void;
  /** The lock was taken over from a server that may still run. */
  readonly onTakenOver?: ((text: string) => void) | undefined;
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

/**
 * Throws an IdportError `data:locked` when another server works on the folder, `data:damaged` when a line in the
 * middle of a file cannot be read, `data:open` for any other reason. The unfinished last line of a killed process is
 * removed: its request was never answered.
 */
export function openDisk(folder: string, store: Kept, options: DiskOptions): Disk {
  let lock: Lock | undefined;
  try {
    fs.mkdirSync(folder, { recursive: true, mode: privateFolder });
    lock = takeLock(folder, options);
    return new FolderDisk(folder, store, options, { ...restore(folder, store), lock });
  } catch (cause) {
    lock?.release();
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

class FolderDisk implements Disk {
  readonly restored: number;
  readonly #folder: string;
  readonly #store: Kept;
  readonly #options: DiskOptions;
  readonly #lock: Lock;
  #generation: number;
  #snapshotSize: number;
  #log: Log;
  #pending: string[] = [];
  #pendingLength = 0;
  #snapshot = Promise.resolve();
  #snapshotRuns = false;
  #open = true;
  #failure: IdportError | undefined;

  constructor(folder: string, store: Kept, options: DiskOptions, found: Found & { readonly lock: Lock }) {
    this.restored = found.restored;
    this.#folder = folder;
    this.#store = store;
    this.#options = options;
    this.#lock = found.lock;
    this.#generation = found.generation;
    this.#snapshotSize = found.snapshotSize;
    this.#log = openLog(join(folder, logName(found.generation)));
  }

  get failure(): IdportError | undefined {
    return this.#failure;
  }

  write(change: Change): void {
    if (!this.#open) return;
    const text = JSON.stringify(change);
    // A microtask runs before any answer is written, and after all changes of this callback.
    if (this.#pending.length === 0) queueMicrotask(() => this.#flush());
    this.#pending.push(text);
    this.#pendingLength += text.length;
    if (this.#pendingLength > blockSize) this.#flush();
  }

  settled(): Promise<void> {
    return this.#snapshot;
  }

  async close(): Promise<void> {
    const before = this.#failure;
    this.#flush();
    await this.#snapshot;
    this.#flush();
    try {
      closeLog(this.#log);
    } catch (cause) {
      this.#fail(cause);
    }
    this.#open = false;
    this.#lock.release();
    if (this.#failure !== undefined && this.#failure !== before) throw this.#failure;
  }

  #fail(cause: unknown): void {
    if (!this.#open) return;
    this.#open = false;
    this.#failure = cause instanceof IdportError ? cause : unwritable(this.#folder, cause);
    this.#options.onFailure(this.#failure);
  }

  /** One line for all changes of one callback: they are kept together or not at all. */
  #flush(): void {
    if (this.#pending.length === 0 || !this.#open) return;
    const line = this.#pending.length === 1 ? this.#pending[0]! : `[${this.#pending.join(',')}]`;
    this.#pending = [];
    this.#pendingLength = 0;
    try {
      if (isDeleted(this.#log)) throw new Error('the log was deleted');
      if (!this.#lock.isHeld()) throw lockLost(this.#folder);
      append(this.#log, Buffer.from(`${line}\n`));
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    const limit = Math.max(this.#options.snapshotAfter ?? 64 * blockSize, this.#snapshotSize);
    if (this.#log.size > limit && !this.#snapshotRuns) {
      this.#snapshotRuns = true;
      this.#snapshot = this.#takeSnapshot()
        .catch((cause: unknown) => this.#fail(cause))
        .finally(() => {
          this.#snapshotRuns = false;
        });
    }
  }

  /** Changes go on while it runs: they are in the new log, and a row that is applied twice is the same row. */
  async #takeSnapshot(): Promise<void> {
    const next = this.#generation + 1;
    const finished = this.#log;
    this.#log = openLog(join(this.#folder, logName(next)));
    this.#generation = next;
    closeLog(finished);
    const path = join(this.#folder, snapshotName(next));
    const size = await writeAll(`${path}.part`, this.#store.dump(), () => this.#open);
    if (size === undefined) return;
    if (!this.#lock.isHeld()) throw lockLost(this.#folder);
    this.#snapshotSize = size;
    fs.renameSync(`${path}.part`, path);
    removeBefore(this.#folder, next);
  }
}

function unwritable(folder: string, cause: unknown): IdportError {
  return new IdportError('data:write', `${folder}: could not write to it: ${(cause as Error).message}`, {
    hint: 'Make room on the disk and start again: everything that was answered before is kept.',
    cause,
  });
}

function lockLost(folder: string): IdportError {
  return new IdportError(
    'data:lock-lost',
    `${folder}: another server has taken it over, or its lock is gone`,
    {
      hint: 'Give each server a folder of its own. Everything that was answered before is kept.',
    },
  );
}

function removeBefore(folder: string, generation: number): void {
  for (const name of fs.readdirSync(folder)) {
    const number = /^(?:log|snapshot)\.(\d+)\.ndjson$/.exec(name)?.[1];
    if (number !== undefined && Number(number) < generation) fs.rmSync(join(folder, name));
  }
}

/** Throws an IdportError `data:locked`. */
export function takeLock(folder: string, options: LockOptions & Pick<DiskOptions, 'onTakenOver'> = {}): Lock {
  const attempt = takeLockAt(join(folder, 'lock'), options);
  if (!attempt.taken) {
    const { holder } = attempt;
    throw new IdportError('data:locked', `${folder}: another server (${nameHolder(holder)}) works on it`, {
      hint: holder.isHere
        ? 'Stop that one, or give each server a folder of its own.'
        : 'Give each server a folder of its own. If that machine or container is gone, the folder is taken over five ' +
          'minutes after the last renewal of its lock. To take it over at once, give --steal-lock.',
    });
  }
  const { takenFrom } = attempt.lock;
  if (takenFrom !== undefined) {
    options.onTakenOver?.(`${folder}: its lock was taken over from ${nameHolder(takenFrom)}`);
  }
  return attempt.lock;
}
