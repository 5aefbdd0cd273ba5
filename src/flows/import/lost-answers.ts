/** Finds out after a lost answer, or when a run is resumed, which entries of a request were done. */
import type { Entry } from '../../targets/bulk/entry.ts';
import { findOrg } from '../preflight/check-orgs.ts';
import { readUser } from '../reconcile/find-users.ts';
import { lookUp, lookUpUntilStill, type Seen, type SentUser } from '../reconcile/look-up.ts';
import { userRangesOf, usersOf } from '../resume/journal-users.ts';
import { placeOf, type Plan } from './entries.ts';
import { numbers, type ImportRun } from './run.ts';

export interface Sorted<Item> {
  /** Created by this run. */
  readonly ours: readonly Item[];
  /** Existed before. */
  readonly older: readonly Item[];
  readonly missing: readonly Item[];
}

/** `at` is when the request was sent, by the service's `Date`, in milliseconds. */
export async function findUsersOf(
  run: ImportRun,
  users: readonly Entry[],
  at: number,
): Promise<Sorted<Entry>> {
  return sort(users, await lookUp(run, users.map(toSent(run, at))));
}

/** The same, once the service has stopped working on the request. */
export async function waitForUsersOf(
  run: ImportRun,
  users: readonly Entry[],
  at: number,
): Promise<Sorted<Entry>> {
  await lookUpUntilStill(run, users.map(toSent(run, at)));
  return findUsersOf(run, users, at);
}

/** `since` is for users that were not sent before. */
const toSent =
  ({ sentBefore }: ImportRun, since: number) =>
  ({ number, orgId, user }: Entry): SentUser => ({
    orgs: [orgId],
    id: user?.id ?? '',
    userName: user?.userName ?? '',
    email: user?.email,
    since: sentBefore.get(number) ?? since,
  });

function sort<Item>(items: readonly Item[], seen: readonly Seen[]): Sorted<Item> {
  const withState = (state: Seen['state']): Item[] => items.filter((_, at) => seen[at]?.state === state);
  return { ours: withState('ours'), older: withState('other'), missing: withState('missing') };
}

/** Of an entry that exists and is not a user: whether an earlier request of this run has created it, as far as is known. */
export async function isOurs(run: ImportRun, { list, number, orgId }: Entry): Promise<boolean> {
  const since = run.sentBefore.get(number);
  if (since === undefined || list !== 'org') return since !== undefined;
  if (run.orgsBefore.has(orgId)) return false;
  const org = await findOrg(run.client, orgId);
  return org === undefined || run.writes.isPossible(org.createdAt, since);
}

/**
 * When a request has last written a user or its metadata, on the clock that stamps users; undefined where it has not.
 * Its answer does not say it, so the user of the last such entry is read.
 */
export async function readLastWrite(run: ImportRun, created: readonly Entry[]): Promise<number | undefined> {
  const last = created.findLast(({ user, owner }) => (user?.id ?? owner) !== '');
  if (last === undefined) return undefined;
  const key = { id: last.user?.id ?? last.owner, userName: '' };
  // The results of the request count more than the time: a run that stops here still records them.
  const user = await readUser(run.client, last.orgId, key).catch(() => undefined);
  return user?.changedAt;
}

/**
 * Of a request whose answer was lost. `rest` is to be sent again; entries that are not users cannot be looked up, and sending
 * them again does no harm.
 */
export async function reconcile(run: ImportRun, entries: readonly Entry[]) {
  const users = entries.filter(({ user }) => user !== undefined);
  const { ours, older } = sort(users, await lookUpUntilStill(run, users.map(toSent(run, Infinity))));
  // The service stores second factors after the user: the last one that arrived may be without.
  const last = lastOf(ours);
  const doubtful = last?.user?.secondFactors === true ? last : undefined;
  const settled = new Set([...ours, ...older].filter((entry) => entry !== doubtful));
  return {
    ours: ours.filter((entry) => entry !== doubtful),
    older,
    rest: entries.filter((entry) => !settled.has(entry)),
  };
}

const lastOf = <Item extends { readonly number: number }>(items: readonly Item[]): Item | undefined =>
  [...items].toSorted((a, b) => a.number - b.number).at(-1);

/** Settles the requests that were open when the run was killed, from the journal alone. */
export async function settleOpen(run: ImportRun, plan: Plan, orgIds: readonly string[]): Promise<void> {
  const ranges = userRangesOf(run.journal.header);
  for (const intent of run.journal.open) {
    if (intent.entries.length === 0) continue;
    for (const number of intent.entries) {
      if (!run.sentBefore.has(number)) run.sentBefore.set(number, intent.at);
    }
    const users = Array.from(usersOf(intent, ranges), (user) => ({
      ...user,
      number: user.entry,
      orgs: [orgIds[placeOf(plan, user.entry).org] ?? ''],
      since: run.sentBefore.get(user.entry)!,
    }));
    const { ours, older } = sort(users, await lookUpUntilStill(run, users));
    // The last one that arrived is sent again: the service may have been stopped before the second factors.
    const last = lastOf(ours);
    const created = numbers(ours.filter((user) => user !== last));
    const existed = numbers(older);
    const settled = new Set([...created, ...existed]);
    const doubtful = intent.entries.filter((number) => !settled.has(number));
    await run.journal.settle(intent.attempt, { created, existed, doubtful });
  }
}
