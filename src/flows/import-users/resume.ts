/** Reads from the journal of a run that stopped what resuming it needs besides the states of the entries. */
import type { Failure, Intent } from '../../journal/lines.ts';
import { readLines } from '../../journal/load.ts';
import type { IdMap } from '../report/id-map.ts';
import type { Plan, ToldBefore } from './run.ts';
import type { UserIds } from './user-ids.ts';

export const nothingTold: ToldBefore = { failures: new Map(), notes: new Map() };

/** Fills in the ids that the service gave, writes the id map again, and returns what is to be reported again. */
export async function readResults(path: string, plan: Plan, ids: UserIds, idMap: IdMap): Promise<ToldBefore> {
  const failures = new Map<number, Failure>();
  const notes = new Map<number, readonly Failure[]>();
  const open = new Map<
    number,
    { readonly number: number; readonly oldId: string; readonly sentId: string }
  >();
  for await (const { line } of readLines(path)) {
    if (line.kind === 'intent') {
      const { attempt, entries, users } = line.intent;
      const [number = plan.users] = entries;
      const [id = '', userName = ''] = users[0] ?? [];
      if (number < plan.users) open.set(attempt, { number, oldId: id === '' ? userName : id, sentId: id });
    }
    if (line.kind !== 'outcome') continue;
    const { attempt, created, changed = [], existed, failed, noted, ids: given } = line.outcome;
    for (const failure of failed) failures.set(failure.entry, failure);
    for (const number of changed) if (noted.length > 0) notes.set(number, noted);
    const sent = open.get(attempt);
    open.delete(attempt);
    if (sent === undefined) continue;
    const { number, oldId, sentId } = sent;
    const newId = given[0]?.[1] ?? ids.choose(number, sentId);
    if (created.includes(number)) {
      ids.set(number, newId, sentId);
      idMap.add({ oldId, newId, state: 'created' });
    } else if (existed.includes(number) || changed.includes(number)) {
      idMap.add({ oldId, newId, state: existed.includes(number) ? 'existed' : 'changed' });
    } else if (failed.length > 0) {
      idMap.add({ oldId, newId: '', state: 'failed' });
    }
  }
  return { failures, notes };
}

/** Requests whose result is unknown, by the number of the user: since when, and under which attempts. */
export function readOpenAttempts(intents: readonly Intent[], plan: Plan, sentIds: UserIds) {
  const sentBefore = new Map<number, number>();
  const openAttempts = new Map<number, readonly number[]>();
  const others: number[] = [];
  for (const { attempt, at, entries, users, ids = [] } of intents) {
    const [number] = entries;
    if (number === undefined || number >= plan.users) {
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
