/** Finds users that the service's lists do not show yet, or show as they were: lists lag behind writes, by minutes under load. */
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import type { UserV1 } from '../../wire/user.ts';
import type { IsRemoved } from '../reconcile/event-log.ts';
import { changedAt, createdAt, readUserV1, type UserKey } from '../reconcile/find-users.ts';
import { pauseForList, waitForList, type ListContext } from '../reconcile/list-lag.ts';
import { seekUsers } from './list-users.ts';

export interface CatchUp extends ListContext {
  readonly orgs: readonly string[];
  readonly isRemoved: IsRemoved;
  readonly countMissing: () => number;
  /** Users of the source that were not found so far, as the target should have them. */
  readonly missing: () => AsyncIterable<UserKey>;
  readonly countDiffering: () => number;
  /** Users whose entry in the list is not as expected; they count as missing from then on. */
  readonly takeDiffering: () => AsyncIterable<UserKey>;
  /** `org` is an index. */
  readonly meet: (users: readonly UserV1[], org: number) => Promise<void>;
  readonly listAll: () => Promise<void>;
}

/** Waits until the list shows the last writes to these users, as far as they are there. */
export async function waitForUsers(context: CatchUp, users: readonly UserKey[]): Promise<void> {
  const written = await readTimes(context, users);
  if (written !== undefined) await waitForList(context, written);
}

/** Up to so many missing users are read one by one, which does not lag. */
const mostReads = 250;
const readsAtOnce = 8;
const sampleSize = 20;
const pause = 5000;

/** Returns whether the users that are missing then are not there, instead of not known yet. */
export async function findMissing(context: CatchUp): Promise<boolean> {
  while (context.countMissing() > mostReads) {
    const written = await readTimes(context, await sample(context.missing(), context.countMissing()));
    if (written === undefined) return true;
    if (context.wait.left <= 0) return false;
    await waitForList(context, written);
    const before = context.countMissing();
    await context.listAll();
    if (context.countMissing() < before) continue;
    // The service does not say how far its list is, or says it wrongly.
    await pauseForList(context, pause);
  }
  await readAll(context);
  return true;
}

/** By the list, because pages shift where users are deleted meanwhile; then one by one. */
async function readAll(context: CatchUp): Promise<void> {
  if (context.countMissing() === 0) return;
  const keys = await collect(context.missing());
  const ids = keys.flatMap(({ id }) => (id === '' ? [] : [id]));
  const names = keys.map(({ userName }) => userName.trim());
  for (const [number, org] of context.orgs.entries()) {
    await seekUsers(context.client, org, { ids, names }, (listed) => context.meet(listed, number));
  }
  await readEach(context, await collect(context.missing()));
}

async function readEach(context: CatchUp, keys: readonly UserKey[]): Promise<void> {
  await forEachConcurrent(keys, readsAtOnce, async (key) => {
    for (const [number, org] of context.orgs.entries()) {
      const user = await readByIdOrName(context, org, key);
      if (user !== undefined) await context.meet([user], number);
    }
  });
}

async function collect(keys: AsyncIterable<UserKey>): Promise<UserKey[]> {
  const all: UserKey[] = [];
  for await (const key of keys) all.push(key);
  return all;
}

/** When the last of these users was written that is there; undefined where none is. */
async function readTimes(context: CatchUp, users: readonly UserKey[]): Promise<number | undefined> {
  const times: number[] = [];
  await forEachConcurrent(users, readsAtOnce, async (key) => {
    for (const org of context.orgs) {
      const user = await readByIdOrName(context, org, key);
      if (user !== undefined) times.push(changedAt(user));
    }
  });
  return times.length === 0 ? undefined : Math.max(...times);
}

/** The one-by-one import gives users new ids. */
async function readByIdOrName(
  { client, isRemoved }: CatchUp,
  org: string,
  { id, userName }: UserKey,
): Promise<UserV1 | undefined> {
  const user = id === '' ? undefined : await readUserV1(client, org, { id, userName });
  const found = user ?? (await readUserV1(client, org, { id: '', userName }));
  return found === undefined || isRemoved(found.id, createdAt(found)) ? undefined : found;
}

/** Evenly spread over the source, with the last one. */
async function sample(keys: AsyncIterable<UserKey>, count: number): Promise<UserKey[]> {
  const step = Math.ceil(count / sampleSize);
  const taken: UserKey[] = [];
  let last: UserKey | undefined;
  let at = 0;
  for await (const key of keys) {
    if (at++ % step === 0) taken.push(key);
    last = key;
  }
  return last === undefined ? taken : [...taken, last];
}

/**
 * Compares the users that differ once more, with what does not lag. Returns false where the list does not catch up in
 * time; they are missing then.
 */
export async function compareAgain(context: CatchUp): Promise<boolean> {
  const count = context.countDiffering();
  if (count === 0) return true;
  if (count <= mostReads) {
    await readEach(context, await collect(context.takeDiffering()));
    return true;
  }
  const written = await readTimes(context, await sample(context.takeDiffering(), count));
  if (written !== undefined && !(await waitForList(context, written))) return false;
  await context.listAll();
  return true;
}
