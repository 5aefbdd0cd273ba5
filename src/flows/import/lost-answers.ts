/** Finds out after a lost answer, or when a run is resumed, which entries of a request were done. */
import type { Intent } from '../../journal/lines.ts';
import type { Entry } from '../../targets/bulk/entry.ts';
import { userLists } from '../../wire/org-entries.ts';
import { findOrg } from '../preflight/check-orgs.ts';
import { lookUp, lookUpUntilStill, type Seen, type SentUser } from '../reconcile/look-up.ts';
import { usersOf } from '../resume/journal-users.ts';
import { placeOf, type Plan } from './entries.ts';
import type { ImportRun } from './run.ts';

export interface Sorted<Item> {
  /** Created by this run. */
  readonly ours: readonly Item[];
  /** Existed before. */
  readonly older: readonly Item[];
  readonly missing: readonly Item[];
}

/** `at` is when the request was sent, for users that were not sent before; on the service's clock, in milliseconds. */
export async function findUsersOf(
  run: ImportRun,
  users: readonly Entry[],
  at: number,
): Promise<Sorted<Entry>> {
  return sort(users, await lookUp(run.client, users.map(toSent(run, at))));
}

/** The same, until the service's lists show no more of them. */
export async function waitForUsersOf(
  run: ImportRun,
  users: readonly Entry[],
  at: number,
): Promise<Sorted<Entry>> {
  return sort(users, await lookUpUntilStill(run, users.map(toSent(run, at))));
}

const toSent =
  ({ sentBefore }: ImportRun, at: number) =>
  ({ number, orgId, person }: Entry): SentUser => ({
    org: orgId,
    id: person?.id ?? '',
    userName: person?.userName ?? '',
    since: sentBefore.get(number) ?? at,
  });

function sort<Item>(items: readonly Item[], seen: readonly Seen[]): Sorted<Item> {
  const withState = (state: Seen['state']): Item[] => items.filter((_, at) => seen[at]?.state === state);
  return { ours: withState('ours'), older: withState('other'), missing: withState('missing') };
}

/** Whether an entry that is not a user, and was sent before, is older than that. Only organizations show their age. */
export async function isOlder(run: ImportRun, { list, number, orgId }: Entry): Promise<boolean> {
  if (list !== 'org') return false;
  const org = await findOrg(run.client, orgId);
  return org !== undefined && org.createdAt < run.sentBefore.get(number)!;
}

interface Reconciled {
  readonly ours: readonly Entry[];
  readonly older: readonly Entry[];
  /** To be sent again; entries that are not users cannot be looked up, and sending them again does no harm. */
  readonly rest: readonly Entry[];
}

/** Of a request whose answer was lost. */
export async function reconcile(run: ImportRun, entries: readonly Entry[]): Promise<Reconciled> {
  const users = entries.filter(({ person }) => person !== undefined);
  const { ours, older } = await waitForUsersOf(run, users, Infinity);
  // The service stores second factors after the user: the last one that arrived may be without.
  const last = lastOf(ours);
  const doubtful = last?.person?.secondFactors === true ? last : undefined;
  const settled = new Set([...ours, ...older].filter((entry) => entry !== doubtful));
  return {
    ours: ours.filter((entry) => entry !== doubtful),
    older,
    rest: entries.filter((entry) => !settled.has(entry)),
  };
}

const lastOf = <Item extends { readonly number: number }>(items: readonly Item[]): Item | undefined =>
  [...items].toSorted((a, b) => a.number - b.number).at(-1);

interface OpenUser extends SentUser {
  readonly number: number;
}

/** Settles the requests that were open when the run was killed, from the journal alone. */
export async function settleOpen(run: ImportRun, plan: Plan, orgIds: readonly string[]): Promise<void> {
  for (const intent of run.journal.open) {
    if (intent.entries.length === 0) continue;
    for (const number of intent.entries) {
      if (!run.sentBefore.has(number)) run.sentBefore.set(number, intent.at);
    }
    const users = openUsers(run, intent, plan, orgIds);
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

function openUsers(run: ImportRun, intent: Intent, plan: Plan, orgIds: readonly string[]): OpenUser[] {
  const isUser = (number: number): boolean => userLists.includes(placeOf(plan, number).list);
  return Array.from(usersOf(intent, isUser), ({ entry, id, userName }) => ({
    number: entry,
    org: orgIds[placeOf(plan, entry).org] ?? '',
    id,
    userName,
    since: run.sentBefore.get(entry)!,
  }));
}

/** As the journal wants them. */
export function numbers(items: readonly { readonly number: number }[]): number[] {
  return items.map(({ number }) => number).toSorted((a, b) => a - b);
}
