/**
 * The journal of a run: an append-only file of what the run is about to do and what it has done, so that it can be killed at any
 * time. An intent is in the file before its request is sent. An outcome is on disk before it is counted.
 */
import { rmSync, statSync } from 'node:fs';
import { IdportError, UsageError } from '../errors.ts';
import { canonicalPath } from '../lib/canonical-path.ts';
import { isLocked, nameHolder, takeLock, type Holder, type Lock, type LockOptions } from '../lib/lock.ts';
import { formatCounted } from '../lib/format.ts';
import { type LineFile, type LineRules, openLines } from '../lib/line-file.ts';
import { errnoOf, systemTexts } from '../lib/system-errors.ts';
import {
  type Left,
  encodeLine,
  type Intent,
  type JournalHeader,
  type Line,
  type AttemptOutcome,
} from './lines.ts';
import { isEmptyJournal, JournalProgress, State } from './load.ts';

/** Results of the entries of a request. Entries that are not named were not done. */
export type Ends = Partial<Omit<AttemptOutcome, 'attempt'>>;

/** Largest number of outcomes that wait for the disk at a time. */
const mostUnsaved = 1024;

const none: readonly never[] = [];

/** Creates a journal with mode 0600, which releases the lock at its end. Throws `UsageError` if there is one already. */
export function createJournal(path: string, header: JournalHeader, lock: Lock) {
  if (isEmptyJournal(path)) rmSync(path);
  const lines = openLocked(path, 0, lock, 'wx');
  lines.add(encodeLine({ kind: 'header', header }));
  lines.save();
  return openProgress(lock, lines, new JournalProgress(path, header), false);
}

/** Opens the journal of the same run, read under this lock. Throws `journal:other-run`, which names what differs. */
export function resumeJournal(loaded: JournalProgress, header: JournalHeader, lock: Lock) {
  const { path, states, givenUp, wholeBytes } = loaded;
  const difference = findDifference(loaded.header, header);
  if (difference !== undefined) throw otherRun(path, difference);
  states.set(givenUp, State.none);
  return openProgress(lock, openLocked(path, wholeBytes, lock), loaded, true);
}

export type Journal = ReturnType<typeof openProgress>;

function openProgress(lock: Lock, lines: LineFile, progress: JournalProgress, resumed: boolean) {
  const { path, header, states, unconfirmed, troubles } = progress;
  let isClosed = false;
  const add = (line: Line) => {
    lines.add(encodeLine(line));
    progress.add(line);
  };
  /** Resolves when the outcome is on disk and `count` has been called. */
  const settle = (attempt: number, ends: Ends = {}, count = (): void => undefined) => {
    const empty = { created: none, existed: none, failed: none, noted: none, ids: none };
    add({ kind: 'outcome', outcome: { attempt, ...empty, ...ends } });
    return lines.synced(count);
  };
  return {
    path,
    header,
    states,
    unconfirmed,
    troubles,
    /** Whether a previous run is resumed. If so, the progress is of that run, and the header is of its start. */
    resumed,
    /** Includes what is not yet on disk. */
    progress,
    get open() {
      return progress.open;
    },
    /**
     * Returns the number of the attempt once the intent is in the file, so that killing the process loses nothing. All intents
     * of one turn of the event loop are written at once.
     */
    async intend(intent: Omit<Intent, 'attempt'>) {
      const attempt = progress.attempts + 1;
      add({ kind: 'intent', intent: { attempt, ...intent } });
      await lines.written();
      return attempt;
    },
    settle,
    /** Like `settle`, but does not wait for the disk unless too many outcomes do. `saved` throws the errors. */
    async settleSoon(attempt: number, ends: Ends, count?: () => void) {
      const settled = settle(attempt, ends, count);
      if (lines.calls >= mostUnsaved) await settled;
    },
    /** Resolves when everything so far is on disk and counted. */
    saved: () => lines.idle(),
    /** Records what is being done, or was done, to a user who is gone from the source. */
    left(left: Left) {
      add({ kind: 'left', left });
      return lines.synced(() => undefined);
    },
    /** Records that everything that can be done is done. */
    finish(at: number) {
      add({ kind: 'end', at, attempts: progress.attempts });
      return lines.synced(() => undefined);
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      try {
        lines.close();
      } finally {
        lock.release();
      }
    },
  };
}

/**
 * Locks a journal before anything is read, renamed or written there, because two runs on one journal would send everything twice.
 * The lock is next to the file itself, even if `path` is a link. Throws `UsageError` if another run holds the lock, and for a
 * file with hard links, whose other names may have a lock elsewhere.
 */
export function lockJournal(
  path: string,
  {
    unwritable = rules.unwritable,
    ...options
  }: LockOptions & { unwritable?: LineRules['unwritable'] | undefined } = {},
): Lock {
  const file = canonicalPath(path);
  try {
    const attempt = takeLock(`${file}.lock`, options);
    if (attempt.taken) {
      if ((statSync(file, { throwIfNoEntry: false })?.nlink ?? 1) === 1) return attempt.lock;
      attempt.lock.release();
      throw new UsageError(
        `${path} has another name (a hard link), under which another run could write it`,
        'Delete the other name, or name a copy of the file.',
      );
    }
    throw new UsageError(
      `another run (${nameHolder(attempt.holder)}) is writing ${path}`,
      adviseOnHolder(attempt.holder),
      undefined,
      'journal:held',
    );
  } catch (error) {
    throw error instanceof UsageError ? error : unwritable(path, error);
  }
}

/** Reports whether a run is using the journal. */
export const isJournalLocked = (path: string) => isLocked(`${canonicalPath(path)}.lock`);

function adviseOnHolder({ isHere, age }: Holder) {
  if (isHere) return 'Wait until it is over, or stop it.';
  const seconds = Math.round(age / 1000);
  return `Wait until it is over: its lock was renewed ${formatCounted(seconds, 'second')} ago. If that machine or container is gone, its lock is taken over five minutes after the last renewal. To take it over at once, pass --steal-lock.`;
}

/** Opens a file for writing after its `whole` bytes, as long as the lock is held. */
export function openLocked(path: string, whole: number, lock: Lock, flags?: 'a' | 'wx') {
  const check = () => {
    if (!lock.isHeld()) throw lockLost(path);
  };
  return openLines(path, whole, { ...rules, check }, flags);
}

const rules: LineRules = {
  unwritable(path, cause) {
    const errno = errnoOf(cause);
    if (errno === 'EEXIST') {
      return new UsageError(
        `there is a journal already: ${path}`,
        'Continue that run with --resume, or name another journal with --journal.',
      );
    }
    const reason = errno === 'ENOENT' ? 'its folder does not exist' : (systemTexts[errno] ?? errno);
    return new IdportError(
      'journal:unwritable',
      `${path}: the journal cannot be written: ${reason}`,
      'A run needs its journal: fix the cause, or name another file with --journal. To continue this run there, move the journal and add --resume.',
      cause,
    );
  },
  deleted: (path) =>
    new IdportError(
      'journal:deleted',
      `${path}: the journal was deleted while the run was writing it`,
      'Nothing more was sent. What the run created is at the target, and no file records it any more.',
    ),
};

function lockLost(path: string) {
  return new IdportError(
    'journal:lock-lost',
    `${path}: another run has taken the journal over`,
    `This run has stopped. If there is no other run, ${path}.lock was deleted: use --resume.`,
  );
}

/** Returns a sentence with the reason why a run cannot resume a journal, or undefined if it can. */
export function findDifference(before: JournalHeader, now: JournalHeader) {
  if (before.verb !== now.verb) return `it is of idport ${before.verb}, not of ${now.verb}`;
  if (before.input.sha256 !== now.input.sha256) {
    return `it is about another input (${before.input.names.join(', ')}, ${before.input.bytes} bytes)`;
  }
  if (before.url !== now.url) return `it is about ${before.url}, not ${now.url}`;
  if (JSON.stringify(before.orgs) !== JSON.stringify(now.orgs)) {
    return `it is about the organization ${before.orgs.join(', ')}, not ${now.orgs.join(', ')}`;
  }
  for (const name of new Set([...Object.keys(before.settings), ...Object.keys(now.settings)])) {
    const was = before.settings[name] || 'not set';
    const is = now.settings[name] || 'not set';
    if (was === is) continue;
    return Math.max(was.length, is.length) > longestShown
      ? `${name} has changed`
      : `${name} was ${was} and is ${is} now`;
  }
  if (JSON.stringify(before.plan) === JSON.stringify(now.plan)) return undefined;
  return 'it was made by a version of idport that sends in another order';
}

/** Settings include whole mappings and digests of files. */
const longestShown = 60;

function otherRun(path: string, difference: string) {
  return new IdportError(
    'journal:other-run',
    `${path} is the journal of another run: ${difference}`,
    'Give the same input and flags as then. Or begin anew with --fresh, which keeps this journal, or with another --journal.',
  );
}
