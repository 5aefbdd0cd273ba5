/**
 * Appends lines to a file. Lines of one turn of the event loop are one write, and lines that come while the disk is
 * busy share one sync, so that the cost is that of a few system calls and not of one a line.
 */
import { closeSync, fstatSync, fsync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { IdportError } from '../errors.ts';
import type { Lock } from '../lib/lock.ts';

const syncFile = promisify(fsync);
const sleep = promisify(setTimeout);
/** Pause between two syncs in milliseconds while lines keep coming: a sync costs as much as a few requests. */
const betweenSyncs = 25;

export class LineFile {
  readonly #path: string;
  readonly #lock: Lock;
  #file: number | undefined;
  /** Where the next write begins. */
  #at: number;
  /** Whole lines. */
  #waiting = '';
  #writing: Promise<void> | undefined;
  /** Called when what was added before them is on the disk. */
  #calls: (() => void)[] = [];
  #calling = 0;
  /** The sync that runs, and the one that begins when it is over. */
  #syncing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** Once set, every call throws it. */
  #failure: unknown;

  /** Writes from `at` on, as long as the lock is held. */
  constructor(path: string, file: number, at: number, lock: Lock) {
    this.#path = path;
    this.#lock = lock;
    this.#file = file;
    this.#at = at;
  }

  /** `line` without its line feed. Throws when an earlier one could not be written. */
  add(line: string): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#waiting += `${line}\n`;
  }

  /** Resolves when everything added so far is in the file: killing the process does not lose it any more. */
  written(): Promise<void> {
    return (this.#writing ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#writing = undefined;
        try {
          this.write();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    }));
  }

  /** Resolves when everything added so far is on the disk and `call` was called. `idle` throws the same errors. */
  synced(call: () => void): Promise<void> {
    this.#calls.push(call);
    if (this.#next !== undefined) return this.#next;
    const begun =
      this.#syncing === undefined
        ? (this.#syncing = this.#sync())
        : (this.#next = this.#syncing
            .catch(() => undefined)
            .then(() => sleep(betweenSyncs))
            .then(() => {
              this.#next = undefined;
              return (this.#syncing = this.#sync());
            }));
    begun.catch(() => undefined);
    return begun;
  }

  /** Outcomes that wait for the disk. */
  get calls(): number {
    return this.#calls.length + this.#calling;
  }

  /** Resolves when no sync is running. Throws what went wrong with any of them, or with their calls. */
  async idle(): Promise<void> {
    while (this.#next !== undefined || this.#syncing !== undefined) await (this.#next ?? this.#syncing);
    if (this.#failure !== undefined) throw this.#failure;
  }

  write(): void {
    if (this.#waiting === '') return;
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.#check();
    try {
      for (let done = 0; done < bytes.length;) {
        done += writeSync(this.#opened(), bytes, done, bytes.length - done, this.#at + done);
      }
    } catch (error) {
      throw (this.#failure = unwritable(this.#path, error));
    }
    this.#at += bytes.length;
  }

  close(): void {
    const file = this.#file;
    if (file === undefined) return;
    try {
      if (this.#failure === undefined) this.write();
    } finally {
      this.#file = undefined;
      this.#close(file);
    }
  }

  /** Some file systems report only now that there was no room. */
  #close(file: number): void {
    try {
      closeSync(file);
    } catch (error) {
      throw (this.#failure ??= unwritable(this.#path, error));
    }
  }

  /** What is written to a file that was deleted, or that another run writes as well, cannot be read again. */
  #check(): void {
    if (fstatSync(this.#opened()).nlink === 0) throw (this.#failure = deleted(this.#path));
    if (!this.#lock.isHeld()) throw (this.#failure = lockLost(this.#path));
  }

  async #sync(): Promise<void> {
    const calls = this.#calls;
    this.#calls = [];
    this.#calling = calls.length;
    try {
      this.write();
      await syncFile(this.#opened()).catch((error: unknown) => {
        throw unwritable(this.#path, error);
      });
      for (const call of calls) call();
    } catch (error) {
      throw (this.#failure ??= error);
    } finally {
      this.#calling = 0;
      this.#syncing = undefined;
    }
  }

  #opened(): number {
    if (this.#file === undefined) throw new Error(`${this.#path} is closed`);
    return this.#file;
  }
}

function deleted(path: string): IdportError {
  return new IdportError(
    'journal:deleted',
    `${path}: the journal was deleted while the run was writing it`,
    'Nothing more was sent. What the run created is at the target, and no file records it any more.',
  );
}

function lockLost(path: string): IdportError {
  return new IdportError(
    'journal:lock-lost',
    `${path}: another run has taken the journal over`,
    `This run has stopped. If there is no other run, ${path}.lock was deleted: use --resume.`,
  );
}

/** Common errors in plain words; for the rest the system's code. */
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'its folder does not exist',
  EFBIG: 'the file would be too large',
};

export function unwritable(path: string, cause: unknown): IdportError {
  const code = (cause as NodeJS.ErrnoException).code ?? '';
  const reason = reasons[code] ?? code;
  return new IdportError(
    'journal:unwritable',
    `${path}: the journal cannot be written: ${reason}`,
    'The run needs its journal: fix that, or name another file with --journal, then use --resume.',
    cause,
  );
}
