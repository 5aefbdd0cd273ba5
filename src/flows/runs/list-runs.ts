/** Lists the runs whose journals are in a folder: what each did, and how far it got. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IdportError } from '../../errors.ts';
import { type Emit, warning } from '../../events.ts';
import {
  findJournals,
  type FoundJournal,
  loadJournal,
  type JournalProgress,
  State,
} from '../../journal/load.ts';
import { isJournalLocked } from '../../journal/journal.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import { formatCount, formatCounted } from '../../lib/format.ts';
import { mutedFileOf } from '../messages/password-emails.ts';
import { describeProgress, findJournal, findUndo } from './open-journal.ts';
import { countResults, describeStillActive } from './journal-users.ts';

export interface Run {
  /** Path for display: the folder as given, then the name. */
  readonly journal: string;
  /** Absent if the journal cannot be read. */
  readonly header?: JournalHeader | undefined;
  readonly state:
    | 'running'
    | 'finished'
    | 'stopped'
    | 'begun anew'
    | 'merged'
    | 'rolled back'
    | 'rollback stopped'
    | 'unreadable';
  /** `312 of 1,000 users are done`. For an unreadable journal, what is wrong with it. */
  readonly progress: string;
  readonly users: ReturnType<typeof countUsers>;
  /** Whether the run has ended and some of its users got no answer. */
  readonly isUnanswered: boolean;
}

/** Yields the oldest runs first, unreadable ones last. A rollback is part of the run that it rolls back. */
export async function* listRuns(folder: string, shownFolder: string): AsyncGenerator<Run> {
  const nameOf = (path: string) => join(shownFolder, path.slice(folder.length).replace(/^[/\\]/, ''));
  const unreadable: Run[] = [];
  const addUnreadable = (problem: unknown, path: string, header?: JournalHeader) =>
    void unreadable.push({
      journal: nameOf(path),
      header,
      state: 'unreadable',
      progress: describeUnreadable(problem),
      users: { created: 0, changed: 0, existed: 0, failed: 0 },
      isUnanswered: false,
    });
  const found = await findJournals(folder, addUnreadable);
  /** Runs that another run continues. */
  const continued = new Map<string, Pick<Run, 'state'> & Partial<Run>>();
  for (const { path, header } of found) {
    const beside = (name: string) => join(dirname(path), name);
    for (const name of header.follows ?? []) continued.set(beside(name), { state: 'begun anew' });
    for (const name of header.merges ?? [])
      continued.set(beside(name), { state: 'merged', progress: `into ${nameOf(path)}` });
  }
  for (const each of found) {
    const { path, header } = each;
    if (header.verb === 'undo') continue;
    const run = await readRun(each, nameOf(path)).catch((error: unknown) =>
      addUnreadable(error, path, header),
    );
    if (run === undefined) continue;
    const end = continued.get(path);
    const isOver = run.state === 'stopped' || (run.state === 'finished' && end?.state === 'merged');
    yield end !== undefined && isOver ? { ...run, ...end, isUnanswered: false } : run;
  }
  yield* unreadable;
}

/** Returns what is wrong with a journal, and what to do. */
function describeUnreadable(problem: unknown) {
  const { message, hint = '' } = problem as Partial<IdportError>;
  return `${message ?? String(problem)}. ${hint}`.trimEnd();
}

/** Warns of an unreadable journal next to the input, which a command would otherwise use. */
export const warnOfUnreadable =
  (emit: Emit) =>
  (problem: unknown): undefined => {
    emit(warning('journal:unreadable', `What a run did is not known: ${describeUnreadable(problem)}`));
  };

/** `journal` is the name for display. Throws `journal:*` for a damaged journal. */
export async function readRun({ path, header }: FoundJournal, journal: string): Promise<Run> {
  const loaded = await loadJournal(path);
  const undo = await findUndo(loaded);
  const state = isJournalLocked(path) ? 'running' : stateOf(loaded, undo);
  const still = undo === undefined ? await describeStillActive(loaded) : '';
  const muted = existsSync(mutedFileOf(path)) ? stillMuted : '';
  const users = countUsers(loaded);
  // Resuming a bucket's job would start anew.
  const isUnanswered =
    state === 'finished' && loaded.givenUp.length > 0 && header.settings['route'] !== 'bucket';
  const done =
    undo === undefined || header.verb === 'create-idps'
      ? describeProgress(undo ?? loaded)
      : await describeDeleted(path, undo, users.created);
  return {
    journal,
    header,
    state,
    progress: [done, isUnanswered ? unanswered : '', still, muted].filter(Boolean).join('; '),
    users,
    isUnanswered,
  };
}

/** A kill leaves the email switched off. */
const stillMuted = 'the email about changed passwords is switched off until it is resumed or rolled back';

const unanswered = 'some got no answer: resume looks for them, and sends those that are missing';

function stateOf(journal: JournalProgress, undo: JournalProgress | undefined): Run['state'] {
  if (undo !== undefined) return undo.finished ? 'rolled back' : 'rollback stopped';
  return journal.finished ? 'finished' : 'stopped';
}

/** Adds up all rollbacks of the run: the journal of the last one names those before it. */
async function describeDeleted(path: string, { header, states }: JournalProgress, created: number) {
  let deleted = states.count(State.created);
  for (const name of header.follows ?? [])
    deleted += (await findJournal(join(dirname(path), name)))?.states.count(State.created) ?? 0;
  return `${formatCount(deleted)} of ${formatCounted(created, 'user')} ${created === 1 ? 'is' : 'are'} deleted`;
}

function countUsers(journal: JournalProgress) {
  const { states, troubles } = journal;
  const { created, changed, existed, failed } = countResults(journal);
  // Users who needed no change, or could not be changed.
  const left = Array.from(troubles).filter(
    ([entry, [first]]) => states.get(entry) === State.changed && first?.code.startsWith('user-skipped:'),
  );
  return { created, changed: changed - left.length, existed, failed };
}
