/** Compares users with previous runs: unchanged ones are not sent, changed ones are deleted and sent again. */
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { State } from '../../journal/load.ts';
import { tolerance } from '../reconcile/write-times.ts';
import { removeUser } from '../reconcile/find-users.ts';
import { findAll } from '../reconcile/look-up.ts';
import type { ImportEntry } from './entries.ts';
import type { ImportRun } from './run.ts';

/**
 * Returns false for a user that is as the previous run left it. A changed user that was created by that run is marked to be
 * replaced, because an import changes no user. Other entries are always sent: the service accepts metadata again, and reports
 * that the rest exists.
 */
export function isToSend(run: ImportRun, entry: ImportEntry) {
  const { user, number } = entry;
  const before = user && run.previous?.find(user);
  if (before === undefined) return true;
  if (isUnchanged(run, entry)) {
    run.journal.states.set([number], State.unchanged);
    return false;
  }
  // If this run has already sent the user, it has also deleted the old one.
  if (before.createdSince !== undefined && !run.journal.unconfirmed.has(number)) {
    run.replaced.set(number, before);
  }
  return true;
}

/** Reports whether a user is unchanged. The journal names users by their id in the source. */
export function isUnchanged(
  { fingerprints, previous }: Pick<ImportRun, 'fingerprints' | 'previous'>,
  { user, oldId }: ImportEntry,
) {
  const before = user && previous?.find(user);
  return before?.isStill(fingerprints.of(oldId ?? user!.id, user!.content(), before.key)) === true;
}

/** Number of concurrent deletions. */
const atOnce = 16;

/**
 * Deletes the users that are to be replaced, so that the service accepts the new ones. Never deletes a user that existed before
 * the previous run or was created after it. Deletion comes before the intent: if the run is killed in between, the next one finds
 * no user and sends it.
 */
export async function removeReplaced(run: ImportRun, entries: readonly ImportEntry[]) {
  const due = entries.filter(({ number }) => run.replaced.has(number));
  const keys = due.map(({ orgId, user }) => ({
    id: user!.id,
    userName: user!.userName,
    orgs: [orgId],
  }));
  const found = await findAll({ ...run, reads: 'all', newOrgs: true }, keys);
  const removeOne = async ([at, { number }]: readonly [number, ImportEntry]) => {
    const user = found[at];
    const { createdSince = Infinity, writtenAt = Infinity } = run.replaced.get(number)!;
    const isOurs = (createdAt: number) =>
      run.writes.isSince(createdAt, createdSince) && createdAt <= writtenAt + tolerance;
    if (user !== undefined && isOurs(user.createdAt)) {
      await removeUser(run.client, user.id);
      run.removed.add(number);
    }
    run.replaced.delete(number);
  };
  await forEachConcurrent(due.entries(), atOnce, removeOne, run.signal);
  run.signal.throwIfAborted();
}
