/** Finds out after a lost answer, or when a run is resumed, which entries of a request were done. */
import { findOrg } from '../preflight/check-orgs.ts';
import { createdAt, readUser } from '../reconcile/find-users.ts';
import { lookUp, lookUpUntilStable, type Seen, type UnansweredUser } from '../reconcile/look-up.ts';
import { userRangesOf, usersOf } from '../runs/journal-users.ts';
import { type ImportEntry, orgOfEntry } from './entries.ts';
import { numbers } from './results.ts';
import type { ImportRun } from './run.ts';

/** Looks up users. `at` is when the request was sent, by the service's `Date`, in milliseconds. */
export async function findUsersOf(run: ImportRun, users: readonly ImportEntry[], at: number) {
  return sort(users, await lookUp(run, users.map(toSent(run, at))));
}

/** Looks up users once the service has stopped working on the request. */
export async function waitForUsersOf(run: ImportRun, users: readonly ImportEntry[], at: number) {
  await lookUpUntilStable(run, users.map(toSent(run, at)));
  return findUsersOf(run, users, at);
}

/** `since` applies to users that were not sent before. */
const toSent =
  ({ journal }: ImportRun, since: number) =>
  ({ number, orgId, user }: ImportEntry): UnansweredUser => ({
    orgs: [orgId],
    id: user?.id ?? '',
    userName: user?.userName ?? '',
    email: user?.email,
    since: journal.unconfirmed.get(number) ?? since,
  });

/** `ours` were created by this run, `older` existed before. */
function sort<Item>(items: readonly Item[], seen: readonly Seen[]) {
  const withState = (state: Seen['state']) => items.filter((_, at) => seen[at]?.state === state);
  return { ours: withState('ours'), older: withState('other'), missing: withState('missing') };
}

/** Reports whether an earlier request of this run created an existing entry that is not a user, as far as is known. */
export async function isOurs(run: ImportRun, { list, number, orgId }: ImportEntry) {
  const since = run.journal.unconfirmed.get(number);
  if (since === undefined || list !== 'org') return since !== undefined;
  if (run.orgsBefore.has(orgId)) return false;
  const org = await findOrg(run.client, orgId);
  return org === undefined || run.writes.isPossible(createdAt(org), since);
}

/**
 * Returns when a request last wrote a user or its metadata, on the clock that stamps users. Undefined if it wrote none. The
 * answer does not say the time, so the user of the last such entry is read.
 */
export async function readLastWrite(run: ImportRun, created: readonly ImportEntry[]) {
  const last = created.findLast(({ user, owner }) => user !== undefined || owner !== '');
  if (last === undefined) return undefined;
  const key = { id: last.owner, userName: '', ...last.user };
  // The results of the request matter more than the time, so that a run that stops here still records them.
  const user = await readUser(run.client, last.orgId, key).catch(() => undefined);
  return user?.changedAt;
}

/**
 * Finds out the results of a request whose answer was lost. `rest` must be sent again. Entries that are not users cannot be
 * looked up, and sending them again does no harm.
 */
export async function reconcile(run: ImportRun, entries: readonly ImportEntry[], at: number) {
  const users = entries.filter(({ user }) => user !== undefined);
  const { ours, older } = sort(users, await lookUpUntilStable(run, users.map(toSent(run, at))));
  const arrived = withoutLast(ours, ({ user }) => user?.secondFactors === true);
  const settled = new Set([...arrived, ...older]);
  return { ours: arrived, older, rest: entries.filter((entry) => !settled.has(entry)) };
}

/** Removes the last user that arrived if it may lack second factors, which the service stores after the user. */
function withoutLast<Item extends { readonly number: number }>(
  ours: readonly Item[],
  mayLack: (last: Item) => boolean,
) {
  const rising = ours.toSorted((a, b) => a.number - b.number);
  const last = rising.at(-1);
  return last !== undefined && mayLack(last) ? rising.slice(0, -1) : rising;
}

/** Settles the requests that were open when the run was killed, with the data of the journal. */
export async function settleOpen(run: ImportRun) {
  const { journal, source } = run;
  const ranges = userRangesOf(journal.header);
  for (const intent of journal.open) {
    if (intent.entries.length === 0) continue;
    const users = Array.from(usersOf(intent, ranges), (user) => ({
      ...user,
      number: user.entry,
      orgs: [source.scan.orgs[orgOfEntry(source.plan, user.entry)]?.orgId ?? ''],
      since: journal.unconfirmed.get(user.entry) ?? intent.at,
    }));
    const { ours, older } = sort(users, await lookUpUntilStable(run, users));
    const [created, existed] = [numbers(withoutLast(ours, () => true)), numbers(older)];
    const settled = new Set([...created, ...existed]);
    const unconfirmed = intent.entries.filter((number) => !settled.has(number));
    await journal.settle(intent.attempt, { created, existed, unconfirmed });
  }
}
