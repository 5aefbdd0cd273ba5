/**
 * Finds users that the service's lists do not show yet, or show in an old state. Lists lag behind writes, by minutes under load.
 */
import { ifRefused } from '../../api/api-error.ts';
import { latest } from '../../lib/clock.ts';
import { foldName } from '../../records/text.ts';
import { createdAt, listUsersById, type UserKey } from '../reconcile/find-users.ts';
import { pauseForList, waitForList } from '../reconcile/list-lag.ts';
import { findAll, sampleOf } from '../reconcile/look-up.ts';
import { type Comparison, keysOf, listAll, meetUsers } from './comparison.ts';
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
  await readEach(run, await collect(missing(run)));
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
 * Returns the organizations of missing users that are in another one than the source says, by the id of the user. A user with
 * another name is another user who has the id.
 */
export async function findElsewhere(run: Comparison) {
  const { orgs, client } = run.request;
  const keys = countMissing(run) > mostReads ? [] : await collect(missing(run));
  const names = new Map(keys.map(({ id, userName }) => [id, foldName(userName)]));
  names.delete('');
  const found =
    names.size === 0 ? [] : await listUsersById(client, [...names.keys()]).catch(ifRefused(() => []));
  return new Map(
    found.flatMap((user) => {
      const org = user.details?.resourceOwner ?? '';
      const isOther = names.get(user.userId) !== foldName(user.username) || orgs.includes(org);
      return isOther || run.isRemoved(user.userId, createdAt(user)) ? [] : [[user.userId, org]];
    }),
  );
}

/**
 * Compares users that differ once more, with reads that do not lag. Returns false if the list does not catch up in time. Then the
 * users count as missing.
 */
export async function compareAgain(run: Comparison) {
  const { users, lists } = run;
  const count = users.count(...listDiffers);
  if (count === 0) return true;
  // These users count as missing from now on.
  const differing = keysOf(run, (user) => {
    const isSought = listDiffers.some((flag) => users.has(user, flag));
    if (isSought) users.unmeet(user);
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

async function readEach(run: Comparison, keys: readonly UserKey[]) {
  for (const { org, shown } of await findEach(run, keys))
    await meetUsers(run, [shown!], run.request.orgs.indexOf(org));
}

/**
 * Reads users one by one, which does not lag, and looks in the lists only for those who cannot be read: by id, then by name,
 * because the one-by-one import may give users new ids.
 */
async function findEach({ request: { orgs }, lists, isRemoved }: Comparison, keys: readonly UserKey[]) {
  const find = (sought: readonly UserKey[]) =>
    findAll(
      { ...lists, reads: 'first' },
      sought.map((key) => ({ ...key, orgs })),
    );
  const byId = await find(keys);
  const others = keys.filter(({ id }, at) => id !== '' && byId[at] === undefined);
  const byName = await find(others.map(({ userName }) => ({ id: '', userName })));
  return [...byId, ...byName].flatMap((user) =>
    user === undefined || isRemoved(user.id, user.createdAt) ? [] : [user],
  );
}

/** `places`: those to take, if not all. */
async function collect(keys: AsyncIterable<UserKey>, places?: ReadonlySet<number>) {
  const all: UserKey[] = [];
  let at = 0;
  for await (const key of keys) if (places?.has(at++) !== false) all.push(key);
  return all;
}

/** Returns when the last of these users was written. Undefined if none exists. */
const readTimes = async (run: Comparison, users: readonly UserKey[]) =>
  latest((await findEach(run, users)).map(({ changedAt }) => changedAt));

/** Returns a sample spread evenly over the source, including the last user. */
const sample = (keys: AsyncIterable<UserKey>, count: number) => collect(keys, new Set(sampleOf(count)));
