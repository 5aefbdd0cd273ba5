/** The journal of an import in, everybody whom it created out, in the order in which the service said so. */
import { UsageError } from '../../errors.ts';
import type { Intent, JournalHeader } from '../../journal/lines.ts';
import { readLines } from '../../journal/load.ts';
import { peopleLists } from '../../wire/org-entries.ts';
import { readPlan } from '../import-users/plan.ts';

export interface Created {
  /** Number in the journal of the import. */
  readonly entry: number;
  /** At the target; empty where only the name is known. */
  readonly id: string;
  readonly oldId: string;
  readonly userName: string;
  /** When the request left, on the service's clock, in milliseconds. */
  readonly at: number;
}

/**
 * Requests of which nobody knows how they ended come last, without an id: the person is looked up by name, and is ours
 * if created since. Throws `UsageError` for a journal of another verb.
 */
export async function* readCreated(path: string, header: JournalHeader): AsyncGenerator<Created> {
  const isPerson = personTest(header, path);
  const open = new Map<number, Intent>();
  for await (const { line } of readLines(path)) {
    if (line.kind === 'intent') open.set(line.intent.attempt, line.intent);
    if (line.kind !== 'outcome') continue;
    const intent = open.get(line.outcome.attempt);
    open.delete(line.outcome.attempt);
    if (intent === undefined || line.outcome.created.length === 0) continue;
    const created = new Set(line.outcome.created);
    const ids = new Map(line.outcome.ids);
    for (const person of peopleOf(intent, isPerson)) {
      if (!created.has(person.entry)) continue;
      yield { ...person, id: ids.get(person.entry) ?? person.id };
    }
  }
  for (const intent of open.values()) {
    // The one-by-one import cannot set ids.
    const byName = header.verb === 'import-users';
    for (const person of peopleOf(intent, isPerson)) yield byName ? { ...person, id: '' } : person;
  }
}

type PersonTest = (entry: number) => boolean;

function* peopleOf({ entries, people, at }: Intent, isPerson: PersonTest): Generator<Created> {
  let place = 0;
  for (const entry of entries) {
    if (!isPerson(entry)) continue;
    const [oldId = '', userName = ''] = people[place++] ?? [];
    yield { entry, id: oldId, oldId, userName, at };
  }
}

function personTest({ verb, plan, settings }: JournalHeader, path: string): PersonTest {
  if (verb === 'import-users') {
    const { people = 0 } = readPlan(plan) ?? {};
    return (entry) => entry < people;
  }
  if (verb !== 'import') {
    throw new UsageError(`${path} is the journal of idport ${verb}, which creates nobody`, {
      hint: 'Name the journal of an import or import-users run.',
    });
  }
  if (settings['route'] === 'bucket') {
    throw new UsageError(
      `${path}: the service fetched these people itself and does not say whom it created`,
      {
        hint: 'Only imports without --gcs can be undone.',
      },
    );
  }
  const ranges: (readonly [number, number])[] = [];
  let start = 0;
  for (const [list, count] of plan) {
    if (peopleLists.includes(list)) ranges.push([start, start + count]);
    start += count;
  }
  return (entry) => ranges.some(([from, end]) => entry >= from && entry < end);
}
