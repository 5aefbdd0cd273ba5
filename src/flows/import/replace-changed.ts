/** The journals of earlier runs and the people of this one in; who is to be sent, and who is to be replaced, out. */
import { State } from '../../journal/states.ts';
import { countEntry } from '../../records/import-tally.ts';
import type { Entry } from '../../targets/bulk/entry.ts';
import type { Earlier } from '../incremental/previous-runs.ts';
import { removeUser } from '../reconcile/remove-user.ts';
import { findPeople } from '../reconcile/find-users.ts';
import type { ImportRun } from './run.ts';

/**
 * False for a person who is as the earlier run had left them: counted, and not to be sent. Who has changed since and
 * was created by that run is marked to be replaced, for an import changes nobody. What is not a person is always sent:
 * the service takes metadata again, and says of all else that it is there.
 */
export function isWanted(run: ImportRun, earlier: Earlier, entry: Entry): boolean {
  const { person, number, list } = entry;
  if (person === undefined) return true;
  const before = earlier.find(person);
  if (before === undefined) return true;
  if (run.fingerprints.isStill(before, earlier, person.id, person.content())) {
    run.journal.states.set([number], State.unchanged);
    countEntry(run.tally, list, 'unchanged');
    return false;
  }
  // Whoever was sent by this run was removed by it before.
  if (before.createdSince !== undefined && !run.sentBefore.has(number)) {
    run.replaced.set(number, before.createdSince);
  }
  return true;
}

/** Deletions under way at a time. */
const atOnce = 16;

/**
 * Deletes those of the entries that are to be replaced, so that the service takes them anew; never somebody who was
 * there before the earlier run. This comes before the intent: a run that is killed in between finds nobody, and sends.
 */
export async function removeReplaced(run: ImportRun, entries: readonly Entry[]): Promise<void> {
  const due = entries.filter(({ number }) => run.replaced.has(number));
  for (const orgId of new Set(due.map((entry) => entry.orgId))) {
    const members = due.filter((entry) => entry.orgId === orgId);
    const found = await findPeople(
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
