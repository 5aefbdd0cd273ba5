/** The journal of an import in, the people whom its requests were about out: undo and later runs read it so. */
import { UsageError } from '../../errors.ts';
import type { Intent, JournalHeader } from '../../journal/lines.ts';
import { userLists } from '../../wire/org-entries.ts';

export interface JournalPerson {
  /** Number in the journal. */
  readonly entry: number;
  /** In the source; empty where it has none. */
  readonly id: string;
  readonly userName: string;
  readonly fingerprint: string;
  /** When the request left, on the service's clock, in milliseconds. */
  readonly at: number;
}

export type PersonTest = (entry: number) => boolean;

/** Which entries are people. Throws `UsageError` for the journal of a verb that imports nobody. */
export function personTest({ verb, plan }: JournalHeader, path: string): PersonTest {
  if (verb !== 'import' && verb !== 'import-users') {
    throw new UsageError(`${path} is the journal of idport ${verb}, which creates nobody`, {
      hint: 'Name the journal of an import or import-users run.',
    });
  }
  const lists = peopleListsOf(verb);
  const ranges: (readonly [number, number])[] = [];
  let start = 0;
  for (const [list, count] of plan) {
    if (lists.includes(list)) ranges.push([start, start + count]);
    start += count;
  }
  return (entry) => ranges.some(([from, end]) => entry >= from && entry < end);
}

/** Lists of a plan whose entries are people, by the verb of the journal. */
export function peopleListsOf(verb: string): readonly string[] {
  return verb === 'import' ? userLists : ['people'];
}

export function* peopleOf({ entries, people, at }: Intent, isPerson: PersonTest): Generator<JournalPerson> {
  let place = 0;
  for (const entry of entries) {
    if (!isPerson(entry)) continue;
    const [id = '', userName = '', fingerprint = ''] = people[place++] ?? [];
    yield { entry, id, userName, fingerprint, at };
  }
}
