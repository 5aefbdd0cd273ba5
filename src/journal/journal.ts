/**
 * What a run means to do and what it has done, in a file of lines that only grows, so that it can be killed at any
 * time. An intent stands in the file before its request leaves; an outcome is on the disk before it is counted.
 */
import { ftruncateSync, openSync, renameSync, statSync } from 'node:fs';
import { IdportError, UsageError } from '../errors.ts';
import { FewValues } from '../lib/few-values.ts';
import { takeLock } from '../lib/lock.ts';
import { LineFile, unwritable } from './line-file.ts';
import {
  encodeIntent,
  encodeLine,
  encodeOutcome,
  type Intent,
  type JournalHeader,
  type Outcome,
} from './lines.ts';
import { loadJournal, settle, type Doubts, type LoadedJournal, type Troubles } from './load.ts';
import { State, States } from './states.ts';

export interface Journal {
  readonly path: string;
  readonly states: States;
  /** Requests of an earlier run whose end nobody knows; each needs its outcome before its entries are sent again. */
  readonly open: readonly Intent[];
  /** Entries that an earlier run saw fail or come in only in part, by number. */
  readonly troubles: Troubles;
  /** Entries that an earlier run sent without learning their end, by number: since when they may be done. */
  readonly doubts: Doubts;
  /** True where an earlier run is continued. */
  readonly resumed: boolean;
  /**
   * The number of the attempt, once the intent is in the file, so that killing the process loses nothing. All intents
   * of one turn of the event loop are written at once.
   */
  intend(intent: Omit<Intent, 'attempt'>): Promise<number>;
  /** The same at once, for a request that calls `write` right before it leaves: the intent is not in the file yet. */
  announce(intent: Omit<Intent, 'attempt'>): number;
  /** Everything so far is in the file. */
  write(): void;
  /** Counts only when the promise is there: then it is on the disk, and `count` has been called. */
  settle(outcome: Outcome, count?: () => void): Promise<void>;
  /** Outcomes on their way to the disk. */
  readonly unsaved: number;
  /** Everything so far is on the disk and counted. Throws what went wrong with any of it. */
  saved(): Promise<void>;
  /** Everything that could be done is done. */
  finish(at: number): Promise<void>;
  close(): void;
}

/** Begins a journal, 0600. Throws `UsageError` when there is one already. */
export function createJournal(path: string, header: JournalHeader): Journal {
  const release = lock(path);
  try {
    const lines = new LineFile(path, open(path, 'wx'), 0);
    lines.add(encodeLine({ kind: 'header', header }));
    lines.write();
    return new JournalFile(path, release, lines, new States(sum(header)), undefined);
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
    return new JournalFile(path, release, new LineFile(path, file, loaded.wholeBytes), loaded.states, loaded);
  } catch (error) {
    release();
    throw error;
  }
}

/** Moves what a finished run has left out of the way: `x.journal` becomes `x.journal.1`. Returns the new path. */
export function setAside(path: string): string {
  for (let number = 1; ; number++) {
    const aside = `${path}.${number}`;
    if (statSync(aside, { throwIfNoEntry: false }) !== undefined) continue;
    renameSync(path, aside);
    return aside;
  }
}

class JournalFile implements Journal {
  readonly path: string;
  readonly states: States;
  readonly open: readonly Intent[];
  readonly troubles: Troubles;
  readonly doubts: Doubts;
  readonly resumed: boolean;
  readonly #release: () => void;
  readonly #lines: LineFile;
  #attempts: number;
  #closed = false;

  constructor(
    path: string,
    release: () => void,
    lines: LineFile,
    states: States,
    loaded: LoadedJournal | undefined,
  ) {
    this.path = path;
    this.states = states;
    this.open = loaded?.open ?? [];
    this.troubles = loaded?.troubles ?? new FewValues(String);
    this.doubts = loaded?.doubts ?? new FewValues(String);
    this.resumed = loaded !== undefined;
    this.#release = release;
    this.#lines = lines;
    this.#attempts = loaded?.attempts ?? 0;
  }

  intend(intent: Omit<Intent, 'attempt'>): Promise<number> {
    const attempt = this.announce(intent);
    return this.#lines.written().then(() => attempt);
  }

  announce(intent: Omit<Intent, 'attempt'>): number {
    const attempt = ++this.#attempts;
    this.#lines.add(encodeIntent(attempt, intent));
    this.states.set(intent.entries, State.open);
    return attempt;
  }

  write(): void {
    this.#lines.write();
  }

  settle(outcome: Outcome, count?: () => void): Promise<void> {
    this.#lines.add(encodeOutcome(outcome));
    return this.#lines.synced(() => {
      settle(this.states, outcome);
      count?.();
    });
  }

  get unsaved(): number {
    return this.#lines.calls;
  }

  saved(): Promise<void> {
    return this.#lines.idle();
  }

  finish(at: number): Promise<void> {
    this.#lines.add(encodeLine({ kind: 'end', at }));
    return this.#lines.synced(() => undefined);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      this.#lines.close();
    } finally {
      this.#release();
    }
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
    hint: 'Give the same input and flags as then; or begin a new run with another --journal.',
  });
}
