/**
 * Lock files, so that only one process writes a file. A lock names the process that holds it and is renewed while it is held. The
 * lock of an ended process is taken over. If the process runs on another machine or in another container, its lock is taken over
 * when it is no longer renewed.
 */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemClock, type Clock } from './clock.ts';
import { errnoOf } from './system-errors.ts';
import { isRunning, isSamePlace, nameThisProcess, type ProcessName } from './this-process.ts';

export interface LockOptions {
  readonly clock?: Clock;
  /** Takes over the lock of a process that cannot be seen from here, without waiting until it is out of date. */
  readonly steal?: boolean | undefined;
}

export type Lock = ReturnType<typeof holdLock>;
export type Holder = ReturnType<typeof describeHolder>;

/** Time between two renewals in milliseconds. */
export const renewEvery = 30_000;
/** A lock that was not renewed for this long (ms) is out of date. */
export const outOfDate = 5 * 60_000;

/** Ids of the locks that this process holds. */
const held = new Set<string>();

/** Content of a lock file. */
interface LockText extends ProcessName {
  readonly id: string;
}

/** Takes the lock at `path`, or returns its holder. Throws the errors of the file system. */
export function takeLock(path: string, { clock = systemClock, steal = false }: LockOptions = {}) {
  const own: LockText = { ...nameThisProcess(), id: newId() };
  const draft = join(dirname(path), `.${basename(path)}.${newId()}.tmp`);
  try {
    const now = writeDraft(draft, own);
    const acquired = acquire({ path, draft, own, steal, now });
    if (acquired.holder !== undefined) return { taken: false as const, holder: acquired.holder };
    held.add(own.id);
    removeLeftBehind(path, own);
    return { taken: true as const, lock: holdLock(path, own, clock, acquired.takenFrom) };
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

const newId = () => randomBytes(9).toString('base64url');

/**
 * Writes the whole lock to disk before it counts, because part of a lock could name another process. Returns when it was written.
 */
function writeDraft(draft: string, own: LockText) {
  const file = fs.openSync(draft, 'wx', 0o600);
  try {
    write(file, own);
    fs.fsyncSync(file);
    return fs.fstatSync(file).mtimeMs;
  } finally {
    fs.closeSync(file);
  }
}

/** Writes the same bytes each time, so that only the file's modification time changes. */
function write(file: number, own: LockText) {
  const bytes = Buffer.from(`${JSON.stringify(own)}\n`);
  const written = fs.writeSync(file, bytes, 0, bytes.length, 0);
  if (written === bytes.length) return;
  throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
}

function holdLock(path: string, own: LockText, clock: Clock, takenFrom: Holder | undefined) {
  const file = fs.openSync(path, 'rs+');
  const { dev, ino } = fs.fstatSync(file, { bigint: true });
  const released = new AbortController();
  const isHeld = () => {
    const found = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
    return !released.signal.aborted && found?.ino === ino && found.dev === dev;
  };
  const renewAgainAndAgain = async () => {
    while (isHeld()) {
      await clock.sleep(renewEvery, released.signal, { background: true });
      try {
        write(file, own);
      } catch {
        // The disk may be full for a while. The next write notices if the lock was lost.
      }
    }
  };
  renewAgainAndAgain().catch(() => undefined);
  return {
    /** Holder whose lock was taken over although it cannot be seen from here whether that process has ended. */
    takenFrom,
    /** Returns false if another process has taken over the lock, or if the lock was deleted. */
    isHeld,
    release() {
      if (released.signal.aborted) return;
      const wasHeld = isHeld();
      released.abort();
      held.delete(own.id);
      fs.closeSync(file);
      if (wasHeld) fs.rmSync(path, { force: true });
    },
  };
}

interface Attempt {
  readonly path: string;
  readonly draft: string;
  readonly own: LockText;
  readonly steal: boolean;
  /** Time by the clock of the file system. */
  readonly now: number;
}

type Acquired =
  | { readonly holder: Holder }
  | { readonly holder?: undefined; readonly takenFrom: Holder | undefined };

/** Puts the draft at the path, unless another process holds the lock. */
function acquire(attempt: Attempt): Acquired {
  for (let tries = 0; tries < maxTries; tries++) {
    if (link(attempt)) return { takenFrom: undefined };
    const found = read(attempt.path);
    if (found === undefined) continue;
    const holder = describeHolder(found, attempt);
    const ended = holder.isHere && !isHolderRunning(found);
    if (!ended && (holder.isHere || (!attempt.steal && holder.age < outOfDate))) return { holder };
    const replaced = replace(found, attempt);
    if (replaced === true) return { takenFrom: ended ? undefined : holder };
    if (replaced !== undefined) return { holder: replaced };
  }
  throw new Error(`${attempt.path} changes all the time`);
}

const maxTries = 1000;

function describeHolder({ process: named, renewedAt }: Found, { own, now }: Attempt) {
  return {
    /** Undefined if the lock does not name a process. */
    process: named,
    /** Whether the process runs in the same place as this one, so that it is visible from here. */
    isHere: named !== undefined && isSamePlace(named, own),
    /** Milliseconds since the lock was renewed, by the clock of the file system. */
    age: Math.max(0, now - renewedAt),
  };
}

/** If start times are unknown, a lock with the id of this process that it does not hold belongs to an earlier process. */
function isHolderRunning({ id, process: named }: Found) {
  if (named === undefined) return true;
  if (named.started === '' && named.pid === process.pid) return held.has(id);
  return isRunning(named);
}

/**
 * Replaces the lock that was found, if it is still there. Of several processes, only the one that created the claim may do so.
 * Returns the holder of the claim if another process has it, and undefined if the lock must be read again.
 */
function replace(found: Found, attempt: Attempt) {
  const claim = `${attempt.path}.${found.id === '' ? unreadable : found.id}`;
  const acquired = acquire({ ...attempt, path: claim, steal: false });
  if (acquired.holder !== undefined) return acquired.holder;
  try {
    if (read(attempt.path)?.id !== found.id) return undefined;
    moveDraft(fs.renameSync, attempt);
    return true;
  } finally {
    fs.rmSync(claim, { force: true });
  }
}

/** Id in the claim on a lock that has no id. */
const unreadable = 'unreadable__';

type Move = (draft: string, path: string) => void;

/** Puts the draft at the path. Returns false if the path is taken. */
function link(attempt: Attempt) {
  try {
    return isMoved(fs.linkSync, attempt);
  } catch (cause) {
    if (!withoutLinks.has(errnoOf(cause))) throw cause;
    // Until the copy is complete, others see the lock of an unknown process, which is respected for five minutes.
    return isMoved((draft, path) => fs.copyFileSync(draft, path, fs.constants.COPYFILE_EXCL), attempt);
  }
}

/** Returns false if the path is taken. */
function isMoved(move: Move, attempt: Attempt) {
  try {
    moveDraft(move, attempt);
    return true;
  } catch (cause) {
    if (errnoOf(cause) === 'EEXIST') return false;
    throw cause;
  }
}

/**
 * Moves the draft, and writes it again if it is gone. The process that takes the lock removes all drafts, and a claim may have
 * used this one up.
 */
function moveDraft(move: Move, attempt: Attempt) {
  try {
    move(attempt.draft, attempt.path);
  } catch (cause) {
    if (errnoOf(cause) !== 'ENOENT') throw cause;
    writeDraft(attempt.draft, attempt.own);
    moveDraft(move, attempt);
  }
}

/** Error codes of file systems that cannot link, such as FAT and some network drives. */
const withoutLinks = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

type Found = NonNullable<ReturnType<typeof read>>;

/** Returns undefined if there is no lock. */
function read(path: string) {
  try {
    const file = fs.openSync(path, 'r');
    try {
      const text = parse(fs.readFileSync(file, 'utf8'));
      const renewedAt = fs.fstatSync(file).mtimeMs;
      return { id: text?.id ?? '', process: text, renewedAt };
    } finally {
      fs.closeSync(file);
    }
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

function parse(text: string) {
  try {
    const found = JSON.parse(text) as LockText;
    const texts = [found.host, found.boot, found.namespace, found.started, found.id];
    const isWhole = texts.every((part) => typeof part === 'string') && Number.isInteger(found.pid);
    return isWhole && /^[\w-]{12}$/.test(found.id) ? found : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Removes all drafts: most are of processes that were killed, some before they wrote their name. A process that still runs writes
 * its draft again. Removes claims only of processes that have ended. Never fails.
 */
function removeLeftBehind(path: string, own: LockText) {
  const folder = dirname(path);
  try {
    for (const name of fs.readdirSync(folder)) {
      const isDraft = name.startsWith('.') && name.endsWith('.tmp');
      const rest = isDraft ? name.slice(1, -4) : name;
      if (rest.length !== basename(path).length + 13 || !rest.startsWith(`${basename(path)}.`)) continue;
      if (isDraft || hasEnded(read(join(folder, name)), own)) fs.rmSync(join(folder, name), { force: true });
    }
  } catch {
    // The folder may not be listable.
  }
}

/** Reports whether a process holds the lock, as far as can be seen from here. */
export function isLocked(path: string) {
  const found = read(path);
  if (found === undefined || hasEnded(found, nameThisProcess())) return false;
  return isHolderRunning(found) || Date.now() - found.renewedAt < outOfDate;
}

function hasEnded(found: Found | undefined, own: ProcessName) {
  return found?.process !== undefined && isSamePlace(found.process, own) && !isHolderRunning(found);
}

/** Names the holder of a lock in messages. */
export function nameHolder({ process: named, isHere }: Holder) {
  if (named === undefined) return 'a process that its lock does not name';
  return `process ${named.pid}${isHere ? '' : ` on ${named.host}`}`;
}
