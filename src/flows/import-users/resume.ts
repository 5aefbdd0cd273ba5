/** The journal of an earlier run in; what its continuation has to know beside the states of the entries out. */
import type { Failure, Intent } from '../../journal/lines.ts';
import { readLines } from '../../journal/load.ts';
import type { IdMap } from '../report/id-map.ts';
import type { NewIds } from './new-ids.ts';
import type { Plan } from './plan.ts';

/** Fills in the ids that the service gave, writes the id map anew, and returns what went wrong, by number. */
export async function readPast(
  path: string,
  plan: Plan,
  ids: NewIds,
  idMap: IdMap,
): Promise<Map<number, Failure>> {
  const failures = new Map<number, Failure>();
  const open = new Map<number, readonly [number, string]>();
  for await (const { line } of readLines(path)) {
    if (line.kind === 'intent') {
      const { attempt, entries, people } = line.intent;
      const [number = plan.people] = entries;
      const [id = '', userName = ''] = people[0] ?? [];
      if (number < plan.people) open.set(attempt, [number, id === '' ? userName : id]);
    }
    if (line.kind !== 'outcome') continue;
    const { attempt, created, existed, failed, ids: given } = line.outcome;
    for (const failure of failed) failures.set(failure.entry, failure);
    const [number, oldId] = open.get(attempt) ?? [];
    open.delete(attempt);
    if (number === undefined || oldId === undefined) continue;
    const newId = given[0]?.[1] ?? '';
    if (created.includes(number)) {
      ids.set(number, newId);
      idMap.add({ oldId, newId, state: 'created' });
    } else if (existed.includes(number)) {
      idMap.add({ oldId, newId, state: 'existed' });
    } else if (failed.length > 0) {
      idMap.add({ oldId, newId: '', state: 'failed' });
    }
  }
  return failures;
}

/** Requests of which nobody knows how they ended, by the person: since when, and under which attempts. */
export function readOpen(intents: readonly Intent[], plan: Plan) {
  const sentBefore = new Map<number, number>();
  const openAttempts = new Map<number, number[]>();
  const others: number[] = [];
  for (const { attempt, at, entries } of intents) {
    const [number] = entries;
    if (number === undefined || number >= plan.people) {
      // Follow-ups give the same end when they are made again.
      others.push(attempt);
      continue;
    }
    sentBefore.set(number, Math.min(at, sentBefore.get(number) ?? Infinity));
    openAttempts.set(number, [...(openAttempts.get(number) ?? []), attempt]);
  }
  return { sentBefore, openAttempts, others };
}
