/** Reads from the journal of an import which users its requests were about; for undo and for later runs. */
import { UsageError } from '../../errors.ts';
import type { Intent, JournalHeader, AttemptOutcome } from '../../journal/lines.ts';
import { readLines, type LoadedJournal } from '../../journal/load.ts';
import { State } from '../../journal/states.ts';
import { userLists } from '../../wire/org-entries.ts';

export interface JournalUser {
  /** Number in the journal. */
  readonly entry: number;
  /** In the source; empty where it has none. */
  readonly id: string;
  readonly userName: string;
  readonly fingerprint: string;
  /** When the request was sent, on the service's clock, in milliseconds. */
  readonly at: number;
  /** Where it is not that of the source. */
  readonly newId?: string | undefined;
}

export type UserTest = (entry: number) => boolean;

/** Which entries are users. Throws `UsageError` for the journal of a verb that imports none. */
export function userTest({ verb, plan }: JournalHeader, path: string): UserTest {
  if (verb !== 'import' && verb !== 'import-users') {
    throw new UsageError(`${path} is the journal of idport ${verb}, which creates no users`, {
      hint: 'Name the journal of an import or import-users run.',
    });
  }
  const lists = userListsOf(verb);
  const ranges: (readonly [number, number])[] = [];
  let start = 0;
  for (const [list, count] of plan) {
    if (lists.includes(list)) ranges.push([start, start + count]);
    start += count;
  }
  return (entry) => ranges.some(([from, end]) => entry >= from && entry < end);
}

/** The lists of a plan whose entries are users, by the verb of the journal. */
export function userListsOf(verb: string): readonly string[] {
  return verb === 'import' ? userLists : ['users'];
}

/**
 * Users whom a one-by-one import has created, or may have, and whose state is not known to be set yet: until it is, they can
 * sign in although they are deactivated or locked at the source.
 */
export function countStillActive({
  header: { verb, plan },
  states,
  troubles,
  open,
}: Pick<LoadedJournal, 'header' | 'states' | 'troubles' | 'open'>): number {
  if (verb !== 'import-users') return 0;
  const [[, users] = ['', 0]] = plan;
  // Two follow-up calls a user, of which the second sets the state.
  const isState = (entry: number): boolean =>
    entry >= users && entry < 3 * users && (entry - users) % 2 === 1;
  const due = new Set(open.flatMap(({ entries }) => entries.filter(isState)));
  for (const [user, { code }] of troubles) {
    if (user < users && code === 'single:state') due.add(users + 2 * user + 1);
  }
  const done: readonly State[] = [State.created, State.failed];
  return [...due].filter((entry) => !done.includes(states.get(entry))).length;
}

export function* usersOf({ entries, users, ids = [], at }: Intent, isUser: UserTest): Generator<JournalUser> {
  const newIds = new Map(ids);
  let place = 0;
  for (const entry of entries) {
    if (!isUser(entry)) continue;
    const [id = '', userName = '', fingerprint = ''] = users[place++] ?? [];
    yield { entry, id, userName, fingerprint, at, newId: newIds.get(entry) };
  }
}

/** A user of a request with what became of it; `open` where that is not known. */
export interface SentUser extends JournalUser {
  readonly end: 'created' | 'changed' | 'existed' | 'failed' | 'open';
  /** When the request has last written, on the clock that stamps users, in milliseconds. */
  readonly writtenAt?: number | undefined;
}

/**
 * `at` is that of the first request that can have created the user: one that was killed, and whose users were looked up
 * and sent again, counts. Users whose result is not known come last, each once.
 */
export async function* readSentUsers(path: string, isUser: UserTest): AsyncGenerator<SentUser> {
  const open = new Map<number, Intent>();
  const unsettled = new Map<number, JournalUser>();
  for await (const { line } of readLines(path)) {
    if (line.kind === 'intent') open.set(line.intent.attempt, line.intent);
    if (line.kind !== 'outcome') continue;
    const { attempt, writtenAt, ids, doubtful = [] } = line.outcome;
    const intent = open.get(attempt);
    if (intent === undefined) continue;
    open.delete(attempt);
    const ends = endsOf(line.outcome);
    const doubts = new Set(doubtful);
    const newIds = new Map(ids);
    for (const user of usersOf(intent, isUser)) {
      const { entry } = user;
      const { at } = unsettled.get(entry) ?? user;
      if (doubts.has(entry)) unsettled.set(entry, { ...user, at });
      const end = ends.get(entry);
      if (end === undefined || doubts.has(entry)) continue;
      unsettled.delete(entry);
      yield { ...user, at, end, newId: newIds.get(entry) ?? user.newId, writtenAt };
    }
  }
  for (const intent of open.values()) {
    for (const user of usersOf(intent, isUser)) {
      if (!unsettled.has(user.entry)) unsettled.set(user.entry, user);
    }
  }
  for (const user of unsettled.values()) yield { ...user, end: 'open' };
}

function endsOf({ created, changed = [], existed, failed }: AttemptOutcome): Map<number, SentUser['end']> {
  const ends = new Map<number, SentUser['end']>();
  for (const entry of existed) ends.set(entry, 'existed');
  for (const { entry } of failed) ends.set(entry, 'failed');
  for (const entry of changed) ends.set(entry, 'changed');
  for (const entry of created) ends.set(entry, 'created');
  return ends;
}
