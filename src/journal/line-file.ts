/**
 * Lines in, a file that only grows out. Lines of one turn of the event loop are one write, and those that come while
 * the disk is busy share one sync: the cost of both is that of a call to the system, not of a line.
 */
import { closeSync, fsync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { IdportError } from '../errors.ts';

const syncFile = promisify(fsync);
const sleep = promisify(setTimeout);
/** While lines keep coming, the disk rests so long between two syncs (ms): one costs as much as a few requests. */
const betweenSyncs = 25;

/** In UTF-8, of one unit of UTF-16. */
const mostBytesOfUnit = 3;

export class LineFile {
  readonly #path: string;
  #file: number | undefined;
  /** Where the next write begins. */
  #at: number;
  /** Whole lines. */
  #waiting = '';
  /** For the bytes of a write, which is over before the next one. */
  readonly #room = Buffer.allocUnsafe(64 * 1024);
  #writing: Promise<void> | undefined;
  /** Called when what was added before them is on the disk. */
  #calls: (() => void)[] = [];
  #calling = 0;
  /** The sync that runs, and the one that begins when it is over. */
  #syncing: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** After this nothing goes on. */
  #failure: unknown;

  constructor(path: string, file: number, at: number) {
    this.#path = path;
    this.#file = file;
    this.#at = at;
  }

  /** `line` without its end. Throws when an earlier one could not be written. */
  add(line: string): void {
    if (this.#failure !== undefined) throw this.#failure;
    this.#waiting += `${line}\n`;
  }

  /** Everything added so far is in the file: killing the process does not lose it any more. */
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

  /** Everything added so far is on the disk, and `call` was called. What goes wrong is also told by `idle`. */
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

  /** Calls that are still to come. */
  get calls(): number {
    return this.#calls.length + this.#calling;
  }

  /** No sync is under way any more. Throws what went wrong with any of them, or with their calls. */
  async idle(): Promise<void> {
    while (this.#next !== undefined || this.#syncing !== undefined) await (this.#next ?? this.#syncing);
    if (this.#failure !== undefined) throw this.#failure;
  }

  write(): void {
    if (this.#waiting === '') return;
    const bytes = this.#toBytes(this.#waiting);
    this.#waiting = '';
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
    if (this.#file === undefined) return;
    try {
      if (this.#failure === undefined) this.write();
    } finally {
      closeSync(this.#file);
      this.#file = undefined;
    }
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

  #toBytes(text: string): Buffer {
    if (text.length * mostBytesOfUnit > this.#room.length) return Buffer.from(text);
    return this.#room.subarray(0, this.#room.write(text));
  }

  #opened(): number {
    if (this.#file === undefined) throw new Error(`${this.#path} is closed`);
    return this.#file;
  }
}

/** In the words that people know; the code of the system for the rest. */
const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'it is not permitted',
  EPERM: 'it is not permitted',
  ENOENT: 'its folder does not exist',
  EFBIG: 'it would be larger than a file may be',
};

export function unwritable(path: string, cause: unknown): IdportError {
  const code = (cause as NodeJS.ErrnoException).code ?? '';
  const reason = reasons[code] ?? code;
  return new IdportError('journal:unwritable', `${path}: the journal cannot be written: ${reason}`, {
    hint: 'Nothing goes on without it: mend that, or name another file with --journal, then use --resume.',
    cause,
  });
}
