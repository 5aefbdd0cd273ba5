/** Looks up users whose requests got no answer: whether they exist, and whether this run created them. */
import { ApiError } from '../../api/api-error.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { foldName } from '../../records/text.ts';
import { findUsers, readUser, type FoundUser, type UserKey } from './find-users.ts';
import { lookWhileBusy, waitForList, type ListContext } from './list-lag.ts';
import type { WriteTimes } from './write-times.ts';
import { latest } from '../../lib/clock.ts';

export interface UnansweredUser extends SoughtUser {
  /** Undefined if no longer known. Empty for a service account. */
  readonly email?: string | undefined;
  /** When the first request that may have created the user was sent, by the service's `Date`, in milliseconds. */
  readonly since: number;
}

interface SoughtUser extends UserKey {
  /** Organizations that the user may be in. */
  readonly orgs: readonly string[];
}

export type Seen =
  | { readonly state: 'ours'; readonly user: FoundUser }
  /** The user existed before, or is another user with this id or name. */
  | { readonly state: 'other'; readonly user: FoundUser }
  | { readonly state: 'missing' };

interface LookUpContext extends ListContext {
  readonly writes: WriteTimes;
  /** The run deletes users to replace them. Lists may still show the deleted ones. */
  readonly replaces?: boolean;
}

/** Returns the results in the order of `users`. */
export async function lookUp(
  context: LookUpContext,
  users: readonly UnansweredUser[],
  reads: 'all' | 'sample' = 'all',
): Promise<Seen[]> {
  const found = await findAll(
    { ...context, reads: context.replaces ? 'first' : reads, newOrgs: true },
    users,
  );
  return users.map(({ userName, email, since }, at) => {
    const user = found[at];
    if (user === undefined) return { state: 'missing' };
    const isSame =
      foldName(user.userName) === foldName(userName) &&
      (email === undefined || foldName(user.email) === foldName(email));
    return { state: isSame && context.writes.isPossible(user.createdAt, since) ? 'ours' : 'other', user };
  });
}

/** Seconds between looks, until nothing has changed twice. */
const pauseSeconds = 2;
const unchangedTwice = 2;

/** Looks up users while the service may still be working on the request. Missing ones may be sent again. */
export function lookUpUntilStable(context: LookUpContext, users: readonly UnansweredUser[]) {
  let before: number | undefined;
  let unchanged = 0;
  const isStill = (seen: readonly Seen[]) => {
    const missing = seen.filter(({ state }) => state === 'missing').length;
    unchanged = missing === before ? unchanged + 1 : 0;
    before = missing;
    return missing === 0 || unchanged === unchangedTwice;
  };
  return lookWhileBusy(context, pauseSeconds, () => lookUp(context, users, 'sample'), isStill);
}

interface FindContext extends ListContext {
  /** Whether organizations may still have to be created, and thus have no users. Otherwise a missing one is an error. */
  readonly newOrgs?: boolean;
  /**
   * Users that are read one by one: all that the list does not show, a sample of these (then some existing ones may be missed),
   * or each before the list is read.
   */
  readonly reads: 'all' | 'sample' | 'first';
}

/** Returns the users in the order of `users`. Undefined for a user that is in none of its organizations. */
export async function findAll(context: FindContext, users: readonly SoughtUser[]) {
  const found: Found = users.map(() => undefined);
  if (context.reads === 'first') await readMissing(context, users, found, [...users.keys()]);
  const left = await listMissing(context, users, found);
  if (context.reads === 'first') return found;
  const sample = sampleOf(left.length).map((at) => left[at]!);
  await readMissing(context, users, found, sample);
  if (left.length === sample.length) return found;
  // The list lags: it does not show users that exist.
  const written = latest(sample.map((at) => found[at]?.changedAt));
  if (written !== undefined) await waitForList(context, written);
  if (written !== undefined || context.reads === 'all') {
    await readMissing(context, users, found, await listMissing(context, users, found));
  }
  return found;
}

type Found = (FoundUser | undefined)[];

/** Fills in the missing users that the list shows, and returns the positions of the others. */
async function listMissing(
  { client, newOrgs = false }: FindContext,
  users: readonly SoughtUser[],
  found: Found,
) {
  const missing = () => [...users.keys()].filter((at) => found[at] === undefined);
  for (const org of new Set(missing().flatMap((at) => users[at]!.orgs))) {
    const members = missing().filter((at) => users[at]!.orgs.includes(org));
    const keys = members.map((at) => users[at]!);
    const listed = await findUsers(client, org, keys).catch((error: unknown) => {
      if (newOrgs && error instanceof ApiError && error.id === noSuchOrg) return [];
      throw error;
    });
    for (const [place, at] of members.entries()) found[at] = listed[place];
  }
  return missing();
}

/** Reads users one by one, which does not lag. */
async function readMissing(
  { client }: ListContext,
  users: readonly SoughtUser[],
  found: Found,
  positions: readonly number[],
) {
  await forEachConcurrent(positions, readsAtOnce, async (at) => {
    for (const org of users[at]!.orgs) found[at] ??= await readUser(client, org, users[at]!);
  });
}

/** Number of missing users that are read to find out whether the list lags. */
const sampleSize = 20;
const readsAtOnce = 8;

/** Returns evenly spread numbers below `count`, with the first and the last. */
export function sampleOf(count: number) {
  const step = Math.max(1, (count - 1) / (sampleSize - 1));
  return Array.from({ length: Math.min(count, sampleSize) }, (_, at) => Math.round(at * step));
}

/** Error id of calls whose header names an organization that does not exist. */
export const noSuchOrg = 'AUTH-Bs7Ds';
