/**
 * Finds users that the service's lists do not show yet, or show in an old state. Lists lag behind writes, by minutes under load.
 */
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import type { UserV1 } from '../../wire/user.ts';
import { changedAt, createdAt, readUserV1, seekUsers, type UserKey } from '../reconcile/find-users.ts';
import { pauseForList, waitForList } from '../reconcile/list-lag.ts';
import { readsAtOnce, sampleOf } from '../reconcile/look-up.ts';
import { type Comparison, keysOf, listAll, listedOf, meetUsers } from './comparison.ts';
import { listDiffers } from './expected-users.ts';

/** Waits until the list shows the last writes to those of these users that exist. */
export async function waitForUsers(run: Comparison, users: readonly UserKey[]) {
  const written = await readTimes(run, users);
  if (written !== undefined) await waitForList(run.lists, written);
}

/** Up to this number, users are read one by one, which does not lag. */
const mostReads = 250;
const pause = 5000;

const countMissing = ({ users }: Comparison) => users.size - users.found;
const missing = (run: Comparison) => keysOf(run, (user) => !run.users.has(user, 'found'));

/** Returns true if users still missing then do not exist, false if that is not known yet. */
export async function findMissing(run: Comparison) {
  const { lists } = run;
  while (countMissing(run) > mostReads) {
    const written = await readTimes(run, await sample(missing(run), countMissing(run)));
    if (written === undefined) return true;
    if (lists.wait.left <= 0) return false;
    await waitForList(lists, written);
    const before = countMissing(run);
    await listAll(run);
    if (countMissing(run) < before) continue;
    // The service does not say how current its list is, or says it wrongly.
    await pauseForList(lists, pause);
  }
  if (countMissing(run) === 0) return true;
  // Search the list first, because pages shift if users are deleted meanwhile. Then read one by one.
  const keys = await collect(missing(run));
  const ids = keys.flatMap(({ id }) => (id === '' ? [] : [id]));
  const names = keys.map(({ userName }) => userName);
  for (const [number, org] of run.request.orgs.entries()) {
    for await (const shown of seekUsers(run.request.client, org, ids, names))
      await meetUsers(run, shown, number);
  }
  await readMissing(run, () => true);
  return true;
}

/** Looks once more for missing users for whom `isSought` is true. */
export async function readMissing(
  run: Comparison,
  isSought: (targetId: string, userName: string) => unknown,
) {
  const { users } = run;
  const keys = await collect(
    keysOf(
      run,
      (user, { id, userName }) => !users.has(user, 'found') && !!isSought(users.targetId(user, id), userName),
    ),
  );
  await (keys.length > mostReads ? listAll(run) : readEach(run, keys));
}

/**
 * Compares users that differ once more, with reads that do not lag. Returns false if the list does not catch up in time. Then the
 * users count as missing.
 */
export async function compareAgain(run: Comparison) {
  const { users, request, lists } = run;
  const count = users.count(...listDiffers);
  if (count === 0) return true;
  // These users count as missing from now on.
  const differing = keysOf(run, (user, record) => {
    const isSought = listDiffers.some((flag) => users.has(user, flag));
    if (isSought) users.unmeet(user, listedOf(request, record));
    return isSought;
  });
  if (count <= mostReads) {
    await readEach(run, await collect(differing));
    return true;
  }
  const written = await readTimes(run, await sample(differing, count));
  if (written !== undefined && !(await waitForList(lists, written))) return false;
  await listAll(run);
  return true;
}

/** Reads users of the source one by one and passes on those that exist. `org` is an index. */
function readFound(
  run: Comparison,
  keys: readonly UserKey[],
  onFound: (user: UserV1, org: number) => Promise<void> | void,
) {
  return forEachConcurrent(keys, readsAtOnce, async (key) => {
    for (const [number, org] of run.request.orgs.entries()) {
      const user = await readByIdOrName(run, org, key);
      if (user !== undefined) await onFound(user, number);
    }
  });
}

const readEach = (run: Comparison, keys: readonly UserKey[]) =>
  readFound(run, keys, (user, org) => meetUsers(run, [user], org));

/** `places`: those to take, if not all. */
async function collect(keys: AsyncIterable<UserKey>, places?: ReadonlySet<number>) {
  const all: UserKey[] = [];
  let at = 0;
  for await (const key of keys) if (places?.has(at++) !== false) all.push(key);
  return all;
}

/** Returns when the last of these users was written. Undefined if none exists. */
async function readTimes(run: Comparison, users: readonly UserKey[]) {
  let last: number | undefined;
  await readFound(run, users, (user) => {
    last = Math.max(last ?? -Infinity, changedAt(user));
  });
  return last;
}

/** Reads a user by id, then by name, because the one-by-one import may give users new ids. */
async function readByIdOrName(
  { request: { client }, isRemoved }: Comparison,
  org: string,
  { id, userName }: UserKey,
) {
  const user = id === '' ? undefined : await readUserV1(client, org, { id, userName });
  const found = user ?? (await readUserV1(client, org, { id: '', userName }));
  return found === undefined || isRemoved(found.id, createdAt(found)) ? undefined : found;
}

/** Returns a sample spread evenly over the source, including the last user. */
const sample = (keys: AsyncIterable<UserKey>, count: number) => collect(keys, new Set(sampleOf(count)));
