/** Reads from the journal of an import which users its requests were about, for resuming, undo and later runs. */
import { UsageError } from '../../errors.ts';
import { endsOf, type FoundJournal, readAttempts, type JournalProgress, State } from '../../journal/load.ts';
import type { Journal } from '../../journal/journal.ts';
import {
  isInRanges,
  rangesOf,
  type Intent,
  type JournalHeader,
  type ListRange,
} from '../../journal/lines.ts';
import { formatCounted, formatNames } from '../../lib/format.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { Note } from '../../records/user.ts';
import { userLists } from '../../wire/org-entries.ts';

/** Returns the ranges of the numbers of users. */
export function userRangesOf(header: JournalHeader) {
  const lists = header.verb === 'import' ? userLists : ['users'];
  return rangesOf(header).filter(({ list }) => lists.includes(list));
}

/** Counts the users of a run by result, or its other entries. */
export function countResults({ header, states }: JournalProgress, of: 'users' | 'others' = 'users') {
  const users = userRangesOf(header);
  const ranges = rangesOf(header).filter(({ from }) => isInRanges(users, from) === (of === 'users'));
  const sum = (count: (range: ListRange) => number) =>
    ranges.reduce((total, range) => total + count(range), 0);
  const count = (state: State) => sum(({ from, end }) => states.count(state, from, end));
  const all = sum(({ from, end }) => end - from);
  const failed = count(State.failed);
  return {
    all,
    done: all - failed - count(State.none) - count(State.open),
    failed,
    created: count(State.created),
    changed: count(State.changed),
    existed: count(State.existed),
  };
}

/** Numbers of entries of a one-by-one import. Users come first, then two follow-up calls a user, then user grants. */
export interface UsersPlan {
  readonly users: number;
  /** Number of calls for user grants, which a body has in a list of their own. */
  readonly grants: number;
}

/** Returns the plan as the header of the journal has it. */
export function planLines({ users, grants }: UsersPlan): [string, number][] {
  return [
    ['users', users],
    ['followUps', 2 * users],
    ...(grants > 0 ? [['userGrants', grants] as [string, number]] : []),
  ];
}

/** Calls for what creating a user leaves out. Only version 1 needs one for metadata. */
export type FollowUpKind = 'metadata' | 'state';

export function followUpNumber({ users }: Pick<UsersPlan, 'users'>, kind: FollowUpKind, user: number) {
  return users + 2 * user + (kind === 'metadata' ? 0 : 1);
}

export const grantNumber = ({ users }: UsersPlan, index: number) => 3 * users + index;

/** Returns the user of a follow-up call. */
export function followedUser(header: JournalHeader, entry: number) {
  const calls = rangesOf(header).find(({ list }) => list === 'followUps');
  return calls && isInRanges([calls], entry) ? Math.floor((entry - calls.from) / 2) : undefined;
}

/**
 * Returns the numbers of users whom a one-by-one import has created, or may have, and whose state may not be set yet. Until then
 * they can sign in although they are deactivated or locked at the source.
 */
export function stillActive({ header, states, troubles, unconfirmed, open }: JournalProgress) {
  if (header.verb !== 'import-users') return [];
  const [{ end: users } = { end: 0 }] = userRangesOf(header);
  const stateOf = (user: number) => followUpNumber({ users }, 'state', user);
  const due = new Set<number>();
  const sent = [...open.flatMap(({ entries }) => entries), ...Array.from(unconfirmed, ([entry]) => entry)];
  for (const entry of sent) {
    const user = followedUser(header, entry);
    if (user === undefined || entry !== stateOf(user)) continue;
    // Leave out users who existed before the run or were refused.
    if (unconfirmed.has(user) || !isIn(states.get(user), State.existed, State.failed)) due.add(user);
  }
  for (const [user, [trouble]] of troubles) {
    if (user < users && trouble?.code === 'single:state') due.add(user);
  }
  return [...due].filter((user) => !isIn(states.get(stateOf(user)), State.created, State.failed));
}

const mostNamed = 5;

/** Returns `2 users may be created, but not yet deactivated or locked: ann, bob`, or an empty text if there are none. */
export async function describeStillActive(journal: JournalProgress) {
  const due = new Set(stillActive(journal));
  if (due.size === 0) return '';
  const names = new Map<number, string>();
  for await (const { entry, userName } of readSentUsers(journal))
    if (due.has(entry) && names.size < mostNamed) names.set(entry, userName);
  return `${formatCounted(due.size, 'user')} may be created, but not yet deactivated or locked: ${formatNames([...names.values()], mostNamed, due.size)}`;
}

const resultNames = {
  [State.created]: 'created',
  [State.changed]: 'changed',
  [State.existed]: 'existed',
  [State.failed]: 'failed',
} as const;

/** Returns what a run before a resume found out about an entry, which is not sent again. The last note says why it failed. */
export function resultBefore({ states, troubles }: Journal, entry: number) {
  const state = resultNames[states.get(entry) as keyof typeof resultNames];
  if (state === undefined) return undefined;
  const notes = (troubles.get(entry) ?? []) as readonly (Note & { readonly detail: string })[];
  return { state, notes, why: notes.at(-1) ?? { code: 'import:refused' as ReasonCode, detail: '' } };
}

const isIn = (state: State, ...states: readonly State[]) => states.includes(state);

interface JournalUser {
  /** Number in the journal. */
  readonly entry: number;
  /** Id in the source. Empty if it has none. */
  readonly id: string;
  readonly userName: string;
  readonly fingerprint: string;
  /** When the request was sent, on the service's clock, in milliseconds. */
  readonly at: number;
  /** Id at the target, if it differs from that of the source. */
  readonly newId?: string | undefined;
}

export function* usersOf({ entries, users, ids = [], at }: Intent, ranges: readonly ListRange[]) {
  const newIds = new Map(ids);
  let place = 0;
  for (const entry of entries) {
    if (!isInRanges(ranges, entry)) continue;
    const [id = '', userName = '', fingerprint = ''] = users[place++] ?? [];
    yield { entry, id, userName, fingerprint, at, newId: newIds.get(entry) };
  }
}

/** A user of a request with its result, `open` if that is not known. */
interface SentUser extends JournalUser {
  readonly end: 'created' | 'changed' | 'existed' | 'failed' | 'open';
  /** When the request last wrote, on the clock that stamps users, in milliseconds. */
  readonly writtenAt?: number | undefined;
}

/**
 * `at` is the time of the first request that may have created the user, even if it was killed and its users were looked up and
 * sent again. Users with unknown result come last, each once. Throws `UsageError` for the journal of a verb that imports no
 * users.
 */
export async function* readSentUsers({ path, header }: FoundJournal): AsyncGenerator<SentUser> {
  const { verb } = header;
  if (verb !== 'import' && verb !== 'import-users') {
    throw new UsageError(
      `${path} is the journal of idport ${verb}, which creates no users`,
      'Name the journal of an import or import-users run.',
    );
  }
  const ranges = userRangesOf(header);
  const unsettled = new Map<number, JournalUser>();
  for await (const { intent, outcome } of readAttempts(path)) {
    const { unconfirmed, ids, writtenAt } = outcome ?? {};
    const ends = new Map<number, keyof typeof resultNames>(outcome && endsOf(outcome));
    const open = new Set(unconfirmed);
    const newIds = new Map(ids);
    for (const user of usersOf(intent, ranges)) {
      const { entry } = user;
      const { at } = unsettled.get(entry) ?? user;
      const state = ends.get(entry);
      if (outcome === undefined || open.has(entry)) {
        if (outcome !== undefined || !unsettled.has(entry)) unsettled.set(entry, { ...user, at });
      } else if (state !== undefined) {
        unsettled.delete(entry);
        yield { ...user, at, end: resultNames[state], newId: newIds.get(entry) ?? user.newId, writtenAt };
      }
    }
  }
  for (const user of unsettled.values()) yield { ...user, end: 'open' };
}
