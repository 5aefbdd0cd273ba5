/** A survey of a body in; the order in which its entries are sent, and the number of each one, out. */
import type { Survey } from '../../sources/org-data/survey.ts';
import { entryKinds } from '../../wire/org-entries.ts';

export interface Round {
  readonly list: string;
  /** Number of its first entry. */
  readonly start: number;
  readonly count: number;
  /** Number of the first entry of each organization, and the end behind the last one. */
  readonly orgStarts: readonly number[];
}

export interface Plan {
  readonly rounds: readonly Round[];
  readonly entries: number;
}

/** Organizations to create get an entry for that even where the body has none. `creates` has names by id. */
export function makePlan({ orgs }: Survey, creates: ReadonlyMap<string, string>): Plan {
  const rounds: Round[] = [];
  let start = 0;
  for (const { name: list } of entryKinds) {
    const orgStarts = [start];
    for (const { orgId, counts } of orgs) {
      const count = list === 'org' && creates.has(orgId) ? 1 : (counts.get(list) ?? 0);
      orgStarts.push(orgStarts.at(-1)! + count);
    }
    const end = orgStarts.at(-1)!;
    if (end > start) rounds.push({ list, start, count: end - start, orgStarts });
    start = end;
  }
  return { rounds, entries: start };
}

export interface Place {
  readonly list: string;
  /** Which organization of the body, from 0. */
  readonly org: number;
}

export function placeOf({ rounds }: Plan, number: number): Place {
  const round = rounds.find(({ start, count }) => number >= start && number < start + count);
  if (round === undefined) throw new RangeError(`no entry ${number}`);
  return { list: round.list, org: findOrg(round.orgStarts, number) };
}

/** The last organization that starts at or before the number; empty ones start where the next one does. */
function findOrg(starts: readonly number[], number: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]! <= number) low = middle;
    else high = middle - 1;
  }
  return low;
}
