/** The journal of an import in, everybody whom it created out, in the order in which the service said so. */
import { UsageError } from '../../errors.ts';
import type { Intent, JournalHeader } from '../../journal/lines.ts';
import { readLines } from '../../journal/load.ts';
import { peopleOf, personTest, type JournalPerson } from '../journal-people.ts';

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
  refuseBucket(header, path);
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
    for (const found of peopleOf(intent, isPerson)) {
      const person = toCreated(found);
      if (created.has(person.entry)) yield { ...person, id: ids.get(person.entry) ?? person.id };
    }
  }
  for (const intent of open.values()) {
    // The one-by-one import cannot set ids.
    const byName = header.verb === 'import-users';
    for (const person of peopleOf(intent, isPerson)) {
      yield byName ? { ...toCreated(person), id: '' } : toCreated(person);
    }
  }
}

const toCreated = ({ entry, id, userName, at }: JournalPerson): Created => ({
  entry,
  id,
  oldId: id,
  userName,
  at,
});

/** Nobody knows whom the service's own job has created. */
function refuseBucket({ settings }: JournalHeader, path: string): void {
  if (settings['route'] !== 'bucket') return;
  throw new UsageError(`${path}: the service fetched these people itself and does not say whom it created`, {
    hint: 'Only imports without --gcs can be undone.',
  });
}
