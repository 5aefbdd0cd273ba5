/**
 * What a run means to do and what it has done, in a file of lines that only grows, so that it can be killed at any
 * time. An intent stands in the file before its request leaves; an outcome is on the disk before it is counted.
 */
import { closeSync, fsync, ftruncateSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { IdportError, UsageError } from '../errors.ts';
import { takeLock } from '../lib/lock.ts';
import {
  encodeLine,
  type Failure,
  type Intent,
  type JournalHeader,
  type Line,
  type Outcome,
} from './lines.ts';
import { loadJournal, settle, type LoadedJournal } from './load.ts';
import { State, States } from './states.ts';

export interface Journal {
  readonly path: string;
  readonly states: States;
  /** Requests of an earlier run whose end nobody knows; each needs its outcome before its entries are sent again. */
  readonly open: readonly Intent[];
  /** Entries that an earlier run saw fail or come in only in part, by number. */
  readonly troubles: ReadonlyMap<number, Failure>;
  /** Entries that an earlier run sent without learning their end, by number: since when they may be done. */
  readonly doubts: ReadonlyMap<number, number>;
  /** True where an earlier run is continued. */
  readonly resumed: boolean;
  /** Is in the file when it returns, so that killing the process loses nothing. Returns the number of the attempt. */
  intend(intent: Omit<Intent, 'attempt'>): number;
  /** Counts only when the promise is there: then it is on the disk. */
  settle(outcome: Outcome): Promise<void>;
  /** Everything that could be done is done. */
  finish(at: number): Promise<void>;
  close(): void;
}

/** Begins a journal, 0600. Throws `UsageError` when there is one already. */
export function createJournal(path: string, header: JournalHeader): Journal {
  const release = lock(path);
  try {
    const file = new JournalFile(path, release, open(path, 'wx'), new States(sum(header)), undefined);
    file.append({ kind: 'header', header });
    return file;
  } catch (error) {
    release();
    throw error;
  }
}

/** Goes on with a journal of the same run; throws `journal:other-run` naming what is not the same. */
export async function resumeJournal(path: string, header: JournalHeader): Promise<Journal> {
  const release = lock(path);
  try {
    const loaded = await loadJournal(path);
    const difference = findDifference(loaded.header, header);
    if (difference !== undefined) throw otherRun(path, difference);
    const file = open(path, 'r+');
    ftruncateSync(file, loaded.wholeBytes);
    return new JournalFile(path, release, file, loaded.states, loaded);
  } catch (error) {
    release();
    throw error;
  }
}

/** Moves a finished journal out of the way: `x.journal` becomes `x.journal.1`. Returns the new path. */
export function setAside(path: string): string {
  for (let number = 1; ; number++) {
    const aside = `${path}.${number}`;
    if (statSync(aside, { throwIfNoEntry: false }) !== undefined) continue;
    renameSync(path, aside);
    return aside;
  }
}

const syncFile = promisify(fsync);
const sleep = promisify(setTimeout);
/** While outcomes keep coming, the disk is asked so seldom (ms): each answer waits no longer, and all share it. */
const betweenSyncs = 10;

class JournalFile implements Journal {
  readonly path: string;
  readonly states: States;
  readonly open: readonly Intent[];
  readonly troubles: ReadonlyMap<number, Failure>;
  readonly doubts: ReadonlyMap<number, number>;
  readonly resumed: boolean;
  readonly #release: () => void;
  #file: number | undefined;
  #at: number;
  #attempts: number;
  /** The sync that runs, and the one that begins when it is over: as many outcomes share one as come meanwhile. */
  #syncing: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(
    path: string,
    release: () => void,
    file: number,
    states: States,
    loaded: LoadedJournal | undefined,
  ) {
    this.path = path;
    this.states = states;
    this.open = loaded?.open ?? [];
    this.troubles = loaded?.troubles ?? new Map();
    this.doubts = loaded?.doubts ?? new Map();
    this.resumed = loaded !== undefined;
    this.#release = release;
    this.#file = file;
    this.#at = loaded?.wholeBytes ?? 0;
    this.#attempts = loaded?.attempts ?? 0;
  }

  intend(intent: Omit<Intent, 'attempt'>): number {
    const attempt = ++this.#attempts;
    this.append({ kind: 'intent', intent: { attempt, ...intent } });
    this.states.set(intent.entries, State.open);
    return attempt;
  }

  async settle(outcome: Outcome): Promise<void> {
    this.append({ kind: 'outcome', outcome });
    await this.#sync();
    settle(this.states, outcome);
  }

  async finish(at: number): Promise<void> {
    this.append({ kind: 'end', at });
    await this.#sync();
  }

  close(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
    this.#release();
  }

  append(line: Line): void {
    const bytes = Buffer.from(`${encodeLine(line)}\n`);
    try {
      for (let done = 0; done < bytes.length;) {
        done += writeSync(this.#opened(), bytes, done, bytes.length - done, this.#at + done);
      }
    } catch (error) {
      throw unwritable(this.path, error);
    }
    this.#at += bytes.length;
  }

  #sync(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    if (this.#syncing === undefined) return (this.#syncing = this.#syncNow());
    this.#next = this.#syncing
      .catch(() => undefined)
      .then(() => sleep(betweenSyncs))
      .then(() => {
        this.#next = undefined;
        return (this.#syncing = this.#syncNow());
      });
    return this.#next;
  }

  async #syncNow(): Promise<void> {
    try {
      await syncFile(this.#opened());
    } catch (error) {
      throw unwritable(this.path, error);
    } finally {
      this.#syncing = undefined;
    }
  }

  #opened(): number {
    if (this.#file === undefined) throw new Error(`${this.path} is closed`);
    return this.#file;
  }
}

/** Two runs over one journal would send everything twice. */
function lock(path: string): () => void {
  const name = `${path}.lock`;
  try {
    const attempt = takeLock(name);
    if (attempt.taken) return () => attempt.release();
    throw new UsageError(`another run (process ${attempt.owner}) is writing ${path}`, {
      hint: `Wait until it is over. If there is none, remove ${name}.`,
    });
  } catch (error) {
    throw error instanceof UsageError ? error : unwritable(path, error);
  }
}

function sum(header: JournalHeader): number {
  return header.plan.reduce((entries, [, count]) => entries + count, 0);
}

function open(path: string, flags: 'wx' | 'r+'): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new UsageError(`there is a journal already: ${path}`, {
        hint: 'Go on with that run by --resume, or name another journal with --journal.',
      });
    }
    throw unwritable(path, error);
  }
}

/** Why a journal cannot be gone on with by a run, in words; undefined where it can. */
export function findDifference(before: JournalHeader, now: JournalHeader): string | undefined {
  if (before.verb !== now.verb) return `it is of idport ${before.verb}, not of ${now.verb}`;
  if (before.input.sha256 !== now.input.sha256) {
    return `it is about another input (${before.input.name}, ${before.input.bytes} bytes)`;
  }
  if (before.url !== now.url) return `it is about ${before.url}, not ${now.url}`;
  if (JSON.stringify(before.orgs) !== JSON.stringify(now.orgs)) {
    return `it is about the organization ${before.orgs.join(', ')}, not ${now.orgs.join(', ')}`;
  }
  if (JSON.stringify(before.plan) !== JSON.stringify(now.plan)) {
    return 'it was made by a version of idport that sends in another order';
  }
  for (const name of new Set([...Object.keys(before.settings), ...Object.keys(now.settings)])) {
    if (before.settings[name] === now.settings[name]) continue;
    return `${name} was ${before.settings[name] ?? 'not set'} and is ${now.settings[name] ?? 'not set'} now`;
  }
  return undefined;
}

function otherRun(path: string, difference: string): IdportError {
  return new IdportError('journal:other-run', `${path} is the journal of another run: ${difference}`, {
    hint: 'Give the same input, --url and --org as then; or begin a new run with another --journal.',
  });
}

function unwritable(path: string, cause: unknown): IdportError {
  const code = (cause as NodeJS.ErrnoException).code ?? '';
  return new IdportError('journal:unwritable', `${path}: the journal cannot be written (${code})`, {
    hint: 'Nothing goes on without it: free the disk, or name another file with --journal, then use --resume.',
    cause,
  });
}
