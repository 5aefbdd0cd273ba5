/** Compares users with previous runs: unchanged ones are not sent, and changed ones are deleted to be replaced. */
import { State } from '../../journal/states.ts';
import { countEntry } from '../../records/import-tally.ts';
import type { Entry } from '../../targets/bulk/entry.ts';
import type { PreviousRuns } from '../incremental/previous-runs.ts';
import { findUsers, removeUser } from '../reconcile/find-users.ts';
import type { ImportRun } from './run.ts';

/**
 * False for a user that is as the previous run has left it: counted, and not to be sent. A changed user that was created
 * by that run is marked to be replaced, because an import changes no user. Other entries are always sent: the service
 * accepts metadata again, and says of the rest that it exists.
 */
export function isToSend(run: ImportRun, previous: PreviousRuns, entry: Entry): boolean {
  const { person, number, list } = entry;
  if (person === undefined) return true;
  const before = previous.find(person);
  if (before === undefined) return true;
  if (run.fingerprints.isUnchanged(before, previous, person.id, person.content())) {
    run.journal.states.set([number], State.unchanged);
    countEntry(run.tally, list, 'unchanged');
    return false;
  }
  // A user that this run has sent was deleted by it before.
  if (before.createdSince !== undefined && !run.sentBefore.has(number)) {
    run.replaced.set(number, before.createdSince);
  }
  return true;
}

/** Concurrent deletions. */
const atOnce = 16;

/**
 * Deletes the users that are to be replaced, so that the service accepts the new ones; never a user that existed before
 * the previous run. This comes before the intent: a run that is killed in between finds no user, and sends.
 */
export async function removeReplaced(run: ImportRun, entries: readonly Entry[]): Promise<void> {
  const due = entries.filter(({ number }) => run.replaced.has(number));
  for (const orgId of new Set(due.map((entry) => entry.orgId))) {
    const members = due.filter((entry) => entry.orgId === orgId);
    const found = await findUsers(
      run.client,
      orgId,
      members.map(({ person }) => ({ id: person!.id, userName: person!.userName })),
    );
    const ours = members.flatMap(({ number }, place) => {
      const user = found.get(place);
      return user !== undefined && user.createdAt >= run.replaced.get(number)!
        ? [{ number, id: user.id }]
        : [];
    });
    for (let at = 0; at < ours.length; at += atOnce) {
      run.signal.throwIfAborted();
      await Promise.all(ours.slice(at, at + atOnce).map(({ id }) => removeUser(run.client, orgId, id)));
    }
    for (const { number } of ours) run.removed.add(number);
  }
  for (const { number } of due) run.replaced.delete(number);
}
