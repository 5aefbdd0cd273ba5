/** Opens the journal of a run: a new one, or that of a stopped run to be resumed. */
import { readdirSync, renameSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { IdportError, UsageError } from '../../errors.ts';
import { type Emit, note, warning, type RunContext } from '../../events.ts';
import {
  createJournal,
  findDifference,
  lockJournal,
  resumeJournal,
  type Journal,
} from '../../journal/journal.ts';
import {
  findJournals,
  type FoundJournal,
  isEmptyJournal,
  loadJournal,
  type JournalProgress,
  State,
} from '../../journal/load.ts';
import { entriesOf, type JournalHeader } from '../../journal/lines.ts';
import { nameHolder, type Lock } from '../../lib/lock.ts';
import { formatCount, formatCounted, withoutShard } from '../../lib/format.ts';
import { inputProblem, type outputProblem } from '../../storage/file-problem.ts';
import { keepPrevious } from '../../storage/file-sink.ts';
import { countResults, describeStillActive } from './journal-users.ts';

export interface JournalOptions {
  readonly path: string;
  readonly resume: boolean;
  /** Command that starts the run, without secrets. */
  readonly typed?: string;
  /** Starts anew. The journal of the previous run is kept and belongs to the new one. */
  readonly fresh?: boolean;
  /** Is called before a new journal is created. */
  readonly onBegin?: () => void;
  /** Asks whether to resume a stopped run. Absent without a terminal to answer. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
  /** Takes over the lock of a run on another machine or in another container. */
  readonly stealLock?: boolean;
  /** Lock that the caller already holds. `openJournal` passes it to the journal. */
  readonly lock?: Lock;
}

/** Takes the lock of the journal, and warns if another run may still hold it. */
export function lockRun(
  { path, stealLock }: Pick<JournalOptions, 'path' | 'stealLock'>,
  { emit, clock }: RunContext,
  unwritable?: typeof outputProblem,
): Lock {
  const lock = lockJournal(path, { clock, steal: stealLock, unwritable });
  if (lock.takenFrom !== undefined) {
    const seconds = Math.round(lock.takenFrom.age / 1000);
    const text = `The lock of ${path} was taken over from ${nameHolder(lock.takenFrom)}, which renewed it ${formatCounted(seconds, 'second')} ago. If that run is still going, it stops before its next write.`;
    emit(warning('journal:taken-over', text));
  }
  return lock;
}

/** Returns undefined if there is no file or an empty one. Throws `journal:*` for a file that is damaged or not a journal. */
export async function findJournal(path: string) {
  try {
    return isEmptyJournal(path) ? undefined : await loadJournal(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads a journal by name. Throws `InputError` if there is no such file, `journal:*` if it is not a complete journal. */
export const readJournal = (name: string, path: string) =>
  loadJournal(path).catch((error: unknown) => {
    throw error instanceof IdportError ? error : inputProblem(name, error, path);
  });

/**
 * Renames a finished journal and starts a new one. An unfinished journal has to be resumed. Throws `UsageError` if the file does
 * not fit `resume`, `journal:other-run` if it is about something else.
 */
export async function openJournal(options: JournalOptions, header: JournalHeader, context: RunContext) {
  const lock = options.lock ?? lockRun(options, context);
  try {
    return await open({ ...options, lock }, header, context.emit);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function open(options: JournalOptions & { readonly lock: Lock }, header: JournalHeader, emit: Emit) {
  const { path, resume, lock, typed } = options;
  const found = await findJournal(path);
  if (!options.fresh && (resume || (found && !(await isOver(found))))) {
    if (found === undefined) throw noJournal(path);
    if (!resume) {
      // A run that began and stopped meanwhile drew a key of its own.
      const { fingerprints = '' } = found.header.settings;
      const now = { ...header, settings: { ...header.settings, fingerprints } };
      const difference = findDifference(found.header, now);
      if (difference !== undefined || !(await agrees(options, found))) throw unfinished(found, difference);
    }
    await refuseUndone(found);
    await refuseMerged(found);
    return resumeJournal(found, header, lock);
  }
  const before = found ?? (await findKept(path, header));
  const undone = before && ((await findUndo({ ...before, path })) ?? (await findUndo(before)));
  options.onBegin?.();
  if (before === undefined) return createJournal(path, { ...header, typed }, lock);
  const kept = found === undefined ? before.path : keepPrevious(path);
  if (undone !== undefined) renameSync(undone.path, `${kept}.undo`);
  /** Journals that a rollback of the new run includes, unless they were rolled back already. */
  const follows = undone?.finished ? [] : [...(before.header.follows ?? []), basename(kept)];
  let journal: Journal;
  try {
    journal = createJournal(path, { ...header, follows, typed }, lock);
  } catch (error) {
    // The disk may be full. The next run still has to follow the previous one.
    renameSync(kept, path);
    if (undone !== undefined) renameSync(`${kept}.undo`, `${path}.undo`);
    throw error;
  }
  emit(
    note(
      'journal:kept',
      `The journal of the previous ${header.verb === 'undo' ? 'rollback' : 'run'} is kept as ${kept}.`,
    ),
  );
  return journal;
}

/** Names the journals of other shards, because a resumed run has to name its own. */
function noJournal(path: string) {
  const name = basename(path);
  const files = readdirSync(dirname(path));
  const others = files.filter((other) => other !== name && withoutShard(other) === withoutShard(name));
  return new UsageError(
    `there is no journal to resume: ${path}${['', ...others].join('; there is ')}`,
    'Resume with the --shard or the --journal of the run, or run it without --resume.',
    undefined,
    'journal:missing',
  );
}

/** Finds the previous run's journal if a run was killed after it renamed that, before it had a journal of its own. */
async function findKept(path: string, header: JournalHeader) {
  const name = basename(path);
  const isKept = (other: string) => other.startsWith(name) && /^\.\d+$/.test(other.slice(name.length));
  const found = await findJournals(dirname(path), undefined, isKept);
  // Journals of other runs may have such a name.
  return found.findLast((kept) => subjectOf(kept.header) === subjectOf(header));
}

const subjectOf = ({ verb, input, url, orgs }: JournalHeader) =>
  JSON.stringify([verb, input.names, url, orgs]);

/** Returns the rollback of a run, whose journal is next to that of the run. Undefined if none was started. */
export async function findUndo({ path, header }: FoundJournal) {
  const found = await findJournal(`${path}.undo`);
  return found !== undefined && isUndoOf(found.header, header) ? found : undefined;
}

export const isUndoOf = ({ verb, url, input, settings }: JournalHeader, run: JournalHeader) =>
  verb === 'undo' &&
  url === run.url &&
  input.sha256 === run.input.sha256 &&
  settings['startedAt'] === String(run.startedAt) &&
  // Two runs over the same users can start at the same time, because the service's clock has a resolution of seconds.
  settings['fingerprints'] === run.settings['fingerprints'];

/** Throws for a run that was rolled back. Its journal still lists what was created, so resuming would leave that out. */
async function refuseUndone(run: JournalProgress) {
  const undo = await findUndo(run);
  const deleted = undo?.states.count(State.created) ?? 0;
  if (deleted === 0 && !undo?.finished) return;
  throw new UsageError(
    `${run.path} is of a run that was rolled back: idport undo deleted ${formatCounted(deleted, 'user')}`,
    'Begin anew with --fresh, which keeps this journal; or name another one with --journal.',
  );
}

/** Throws for a shard whose journal was merged: a rollback of the merged one would leave what the shard does from now on. */
async function refuseMerged({ path }: JournalProgress) {
  const whole = await findJournal(withoutShard(path));
  if (!whole?.header.merges?.includes(basename(path))) return;
  throw new UsageError(
    `${path} is merged into ${whole.path}`,
    'Resume that one: the same command without --shard.',
  );
}

/**
 * Reports whether the run at this path will be resumed. To be called before anything could make that impossible. Throws
 * `UsageError` if a stopped run is neither resumed nor started anew.
 */
export async function mustResume(options: JournalOptions) {
  if (options.resume) return true;
  if (options.fresh) return false;
  const found = await findJournal(options.path);
  if (found === undefined || (await isOver(found))) return false;
  if (await agrees(options, found)) return true;
  throw unfinished(found);
}

/** Reports whether the run has ended or was rolled back. */
const isOver = async (run: JournalProgress) => run.finished || (await findUndo(run))?.finished === true;

/** Asks at a terminal. Scripts have to pass --resume. */
async function agrees({ ask }: JournalOptions, journal: JournalProgress) {
  if (ask === undefined) return false;
  const still = await describeStillActive(journal);
  const progress = [describeProgress(journal), still].filter(Boolean).join('; ');
  return ask(`A previous run stopped before its end: ${progress} (${journal.path}). Resume it?`);
}

function unfinished({ path, header }: JournalProgress, difference?: string) {
  if (difference !== undefined) {
    return new UsageError(
      `${path} is the journal of another run that is not finished: ${difference}`,
      'Name another file with --journal; or begin anew with --fresh, which keeps this journal: it says who was created.',
    );
  }
  return new UsageError(
    `a previous ${header.verb === 'undo' ? 'rollback' : 'run'} is not finished (${path})`,
    'Resume it: the same command with --resume. Or begin anew with --fresh, which keeps its journal: it says who was created.',
  );
}

export const wrongCounts = (what: string) =>
  new IdportError(
    'internal:counts',
    what,
    'This is a bug in idport: please report it. The journal has what was done.',
  );

/** Returns text such as `312 of 1,000 users are done, 2 failed; 0 of 40 other entries`. */
export function describeProgress(journal: JournalProgress) {
  const { header, states, finished } = journal;
  if (header.verb === 'undo') {
    const all = Number(header.settings['confirmed'] ?? 0);
    return `${formatUsers({ done: states.count(State.created), all })} deleted`;
  }
  if (header.verb === 'create-idps') {
    const all = formatCounted(entriesOf(header), 'identity provider');
    return `${formatCount(states.count(State.created))} of ${all} made`;
  }
  const users = countResults(journal);
  const others = countResults(journal, 'others');
  // If the run has ended, these users were rejected or left out beforehand.
  const left = finished ? users.all - users.done - users.failed : 0;
  const text = `${formatUsers(users)} done${formatFailed(users)}${left === 0 ? '' : `, ${formatCount(left)} not sent`}`;
  // The follow-up calls of a one-by-one import are not known before they are made.
  if (header.verb !== 'import' || others.all === 0) return text;
  const entries = formatCounted(others.all, 'other entry', 'other entries');
  return `${text}; ${formatCount(others.done)} of ${entries}${formatFailed(others)}`;
}

const formatFailed = ({ failed }: { readonly failed: number }) =>
  failed === 0 ? '' : `, ${formatCount(failed)} failed`;

function formatUsers({ done, all }: { readonly done: number; readonly all: number }) {
  return `${formatCount(done)} of ${formatCounted(all, 'user')} ${all === 1 ? 'is' : 'are'}`;
}
