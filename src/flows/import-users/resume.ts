/** Reads from the journal of a run that stopped what resuming it needs besides the states of the entries. */
import type { Journal } from '../../journal/journal.ts';
import { State } from '../../journal/states.ts';
import { readSentUsers, type UsersPlan } from '../resume/journal-users.ts';
import type { IdMap } from '../report/id-map.ts';
import type { UserIds } from './user-ids.ts';

/** Fills in the ids that the service gave, and writes the id map again. */
export async function readResults(journal: Journal, ids: UserIds, idMap: IdMap): Promise<void> {
  for await (const { entry, id, userName, end, newId = id } of readSentUsers(journal)) {
    // One who was given up without an answer counts as failed, and may be there all the same.
    const state = end === 'open' && journal.states.get(entry) === State.failed ? 'failed' : end;
    if (state === 'open') continue;
    if (state === 'created') ids.set(entry, newId, id);
    idMap.add({ oldId: id === '' ? userName : id, newId: state === 'failed' ? '' : newId, state });
  }
}

/** Requests whose result is unknown, by the number of the user: since when, and under which attempts. */
export function readOpenAttempts(
  { open }: Pick<Journal, 'open'>,
  { users: limit }: UsersPlan,
  sentIds: UserIds,
) {
  const sentBefore = new Map<number, number>();
  const openAttempts = new Map<number, readonly number[]>();
  const others: number[] = [];
  for (const { attempt, at, entries, users, ids = [] } of open) {
    const [number] = entries;
    if (number === undefined || number >= limit) {
      // Follow-up calls give the same result when they are made again.
      others.push(attempt);
      continue;
    }
    for (const [, id] of ids) sentIds.set(number, id, users[0]?.[0] ?? '');
    sentBefore.set(number, Math.min(at, sentBefore.get(number) ?? Infinity));
    openAttempts.set(number, [...(openAttempts.get(number) ?? []), attempt]);
  }
  return { sentBefore, openAttempts, others };
}
