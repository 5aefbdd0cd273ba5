/** Reads from the journal of a run that stopped what resuming it needs besides the states of the entries. */
import type { Journal } from '../../journal/journal.ts';
import { State } from '../../journal/states.ts';
import { readSentUsers, type UsersPlan } from '../resume/journal-users.ts';
import type { IdMap } from '../report/id-map.ts';
import type { UserIds } from './user-ids.ts';

/** Fills in the ids that users were sent with or that the service gave, and writes the id map again. */
export async function readResults(journal: Journal, ids: UserIds, idMap: IdMap): Promise<void> {
  for await (const { entry, id, userName, end, newId } of readSentUsers(journal)) {
    // One who was given up without an answer counts as failed, and may be there all the same.
    const state = end === 'open' && journal.states.get(entry) === State.failed ? 'failed' : end;
    if (state === 'created' || (state === 'open' && newId !== undefined)) ids.set(entry, newId ?? id, id);
    if (state === 'open') continue;
    idMap.add({ oldId: id === '' ? userName : id, newId: state === 'failed' ? '' : (newId ?? id), state });
  }
}

/** Requests whose result is unknown: their users may be there. Follow-up calls give the same result when they are made again. */
export async function settleOpen(journal: Journal, { users }: UsersPlan): Promise<void> {
  for (const { attempt, entries } of journal.open) {
    const [number = users] = entries;
    await journal.settleSoon(attempt, { doubtful: number < users ? entries : [] });
  }
}
