/** Compares users with previous runs: unchanged ones are not sent, and changed ones are deleted to be replaced. */
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { State } from '../../journal/load.ts';
import type { Fingerprints } from '../incremental/fingerprint.ts';
import type { PreviousRuns } from '../incremental/previous-runs.ts';
import { tolerance } from '../reconcile/write-times.ts';
import { removeUser } from '../reconcile/find-users.ts';
import { findAll } from '../reconcile/look-up.ts';
import type { ImportEntry } from './entries.ts';
import type { ImportRun } from './run.ts';

/**
 * False for a user that is as the previous run has left it, and not to be sent. A changed user that was created
 * by that run is marked to be replaced, because an import changes no user. Other entries are always sent: the service
 * accepts metadata again, and says of the rest that it exists.
 */
export function isToSend(run: ImportRun, entry: ImportEntry): boolean {
  const { user, number } = entry;
  const { previous } = run;
  if (user === undefined || previous === undefined) return true;
  const before = previous.find(user);
  if (before === undefined) return true;
  if (isUnchanged(run.fingerprints, previous, entry)) {
    run.journal.states.set([number], State.unchanged);
    return false;
  }
  // A user that this run has sent was deleted by it before.
  if (before.createdSince !== undefined && !run.journal.unconfirmed.has(number)) {
    run.replaced.set(number, before);
  }
  return true;
}

/** Of a user; the journal names users by their id in the source. */
export function isUnchanged(
  fingerprints: Fingerprints,
  previous: PreviousRuns,
  { user, oldId }: ImportEntry,
): boolean {
  const before = user === undefined ? undefined : previous.find(user);
  if (user === undefined || before === undefined) return false;
  return before.isStill(fingerprints.of(oldId ?? user.id, user.content(), before.key));
}

/** Concurrent deletions. */
const atOnce = 16;

/**
 * Deletes the users that are to be replaced, so that the service accepts the new ones; never a user that existed before
 * the previous run, or has come in after it. This comes before the intent: a run that is killed in between finds no user,
 * and sends.
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
  await forEachConcurrent(due.entries(), atOnce, removeOne, () => run.signal.aborted);
  run.signal.throwIfAborted();
}
