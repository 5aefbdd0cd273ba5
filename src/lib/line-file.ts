/**
 * Appends lines to a file. Lines of one turn of the event loop share one write, and lines that come while the disk is busy share
 * one sync, so that there are a few system calls instead of one per line.
 */
import { closeSync, fstatSync, fsync, fsyncSync, openSync, truncateSync, writeSync } from 'node:fs';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { IdportError } from '../errors.ts';

const syncFile = promisify(fsync);
/** Pause in milliseconds between two syncs while lines keep coming. A sync costs as much as a few requests. */
const betweenSyncs = 25;

export interface LineRules {
  readonly unwritable: (path: string, cause: unknown) => IdportError;
  readonly deleted: (path: string) => IdportError;
  /** Called before each write. Throws `IdportError` if the file may not be written any more. */
  readonly check?: () => void;
}

/**
 * Opens a file for appending after its first `whole` bytes, and removes the bytes after them. A missing file is created with mode
 * 0600. With `wx`, the file must not exist.
 */
export function openLines(path: string, whole: number, rules: LineRules, flags: 'a' | 'wx' = 'a') {
  try {
    const file = openSync(path, flags, 0o600);
    if (fstatSync(file).size > whole) truncateSync(path, whole);
    return new LineFile(path, file, rules);
  } catch (error) {
    throw rules.unwritable(path, error);
  }
}

export class LineFile {
  readonly #path: string;
  readonly #rules: LineRules;
  #file: number | undefined;
  /** Whole lines that are not yet written. */
  #waiting = '';
  #writing: Promise<void> | undefined;
  /** Called when everything that was added before them is on disk. */
  #calls: (() => void)[] = [];
  #calling = 0;
  /** The running sync, and the one that begins after it. */
  #syncing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** Once set, every call throws it. */
  #failure: unknown;

  constructor(path: string, file: number, rules: LineRules) {
    this.#path = path;
    this.#rules = rules;
    this.#file = file;
  }

  /** Adds a line, given without its line feed. Throws if an earlier line could not be written. */
  add(line: string) {
    if (this.#failure !== undefined) throw this.#failure;
    this.#waiting += `${line}\n`;
  }

  /** Resolves when everything added so far is in the file, so that killing the process no longer loses it. */
  written() {
    return (this.#writing ??= this.#writeSoon());
  }

  async #writeSoon() {
    await setImmediate();
    this.#writing = undefined;
    this.write();
  }

  /** Resolves when everything added so far is on disk and `call` was called. `idle` throws the same errors. */
  synced(call: () => void) {
    this.#calls.push(call);
    if (this.#next !== undefined) return this.#next;
    const begun =
      this.#syncing === undefined
        ? (this.#syncing = this.#sync())
        : (this.#next = this.#syncing
            .catch(() => undefined)
            .then(() => setTimeout(betweenSyncs))
            .then(() => {
              this.#next = undefined;
              return (this.#syncing = this.#sync());
            }));
    begun.catch(() => undefined);
    return begun;
  }

  /** Number of calls that wait for the disk. */
  get calls() {
    return this.#calls.length + this.#calling;
  }

  /** Resolves when no sync is running. Throws the error of any sync or of its calls. */
  async idle() {
    while (this.#next !== undefined || this.#syncing !== undefined) await (this.#next ?? this.#syncing);
    if (this.#failure !== undefined) throw this.#failure;
  }

  write() {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#waiting === '') return;
    const bytes = Buffer.from(this.#waiting);
    this.#waiting = '';
    this.#attempt((file) => {
      // Lines in a deleted file, or in one that another run also writes, cannot be read again.
      if (fstatSync(file).nlink === 0) throw this.#rules.deleted(this.#path);
      this.#rules.check?.();
      for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
    });
  }

  /** Writes everything added so far to disk before it returns. */
  save() {
    this.write();
    this.#attempt(fsyncSync);
  }

  close() {
    const file = this.#file;
    if (file === undefined) return;
    try {
      if (this.#failure === undefined) this.write();
    } finally {
      this.#file = undefined;
      // Some file systems report a full disk only here.
      this.#attempt(closeSync, file);
    }
  }

  #attempt(step: (file: number) => void, file = this.#opened()) {
    try {
      step(file);
    } catch (error) {
      const isKnown = error instanceof IdportError;
      throw (this.#failure ??= isKnown ? error : this.#rules.unwritable(this.#path, error));
    }
  }

  async #sync() {
    const calls = this.#calls;
    this.#calls = [];
    this.#calling = calls.length;
    try {
      this.write();
      await syncFile(this.#opened()).catch((error: unknown) => {
        throw this.#rules.unwritable(this.#path, error);
      });
      for (const call of calls) call();
    } catch (error) {
      throw (this.#failure ??= error);
    } finally {
      this.#calling = 0;
      this.#syncing = undefined;
    }
  }

  #opened() {
    if (this.#file === undefined) throw new Error(`${this.#path} is closed`);
    return this.#file;
  }
}
