/** The journal of an import in, everybody whom it created out, in the order in which the service said so. */
import { UsageError } from '../../errors.ts';
import type { Intent, JournalHeader } from '../../journal/lines.ts';
import { readLines, type LoadedJournal } from '../../journal/load.ts';
import { State } from '../../journal/states.ts';
import { peopleOf, personTest, type JournalPerson } from '../resume/journal-users.ts';

export interface Created {
  /** Number in the journal of the import. */
  readonly entry: number;
  /** At the target; empty where only the name is known. */
  readonly id: string;
  readonly oldId: string;
  readonly userName: string;
  /** When the request left, on the service's clock, in milliseconds. */
  readonly at: number;
  /**
   * `answer`: the service chose the id and told it, and gives it to nobody else. `id`: it took the id of the source,
   * which somebody else may have by now. `none`: nobody saw the answer, and who has the name may be somebody else.
   */
  readonly proof: 'answer' | 'id' | 'none';
}

/**
 * Requests of which nobody knows how they ended come last: the person is looked up, and is ours if created since.
 * Throws `UsageError` for a journal of another verb.
 */
export async function* readCreated(
  path: string,
  { header, states }: Pick<LoadedJournal, 'header' | 'states'>,
): AsyncGenerator<Created> {
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
    for (const person of peopleOf(intent, isPerson)) {
      if (!created.has(person.entry)) continue;
      const told = ids.get(person.entry);
      yield told === undefined ? toCreated(person, 'id') : { ...toCreated(person, 'answer'), id: told };
    }
  }
  const told = new Set<number>();
  for (const intent of open.values()) {
    for (const person of peopleOf(intent, isPerson)) {
      // Sent more than once: the first request counts, and one with an answer more than all of these.
      if (told.has(person.entry) || states.get(person.entry) === State.created) continue;
      told.add(person.entry);
      const created = toCreated(person, 'none');
      // The one-by-one import cannot set ids.
      yield header.verb === 'import-users' ? { ...created, id: '' } : created;
    }
  }
}

function toCreated({ entry, id, userName, at }: JournalPerson, proof: Created['proof']): Created {
  return { entry, id, oldId: id, userName, at, proof };
}

/** Nobody knows whom the service's own job has created. */
function refuseBucket({ settings }: JournalHeader, path: string): void {
  if (settings['route'] !== 'bucket') return;
  throw new UsageError(`${path}: the service fetched these people itself and does not say whom it created`, {
    hint: 'Only imports without --gcs can be undone.',
  });
}

/** How long the run that a journal is about may have been at work, on the service's clock, in milliseconds. */
export interface Span {
  /** Nobody who came in later came in by the run. */
  readonly lastCreation: number;
  /** What changed later was changed by somebody else. */
  readonly lastChange: number;
}

/** Clocks differ, and a request needs its time. */
const afterEnd = { creation: 60_000, change: 5_000 };
/** A run that was killed may have waited for its turn after its last line. */
const afterKill = { creation: 600_000, change: 120_000 };

export async function readSpan(path: string): Promise<Span> {
  let last = 0;
  let slack = afterKill;
  for await (const { line } of readLines(path)) {
    if (line.kind === 'intent') last = Math.max(last, line.intent.at);
    if (line.kind === 'end') last = Math.max(last, line.at);
    slack = line.kind === 'end' ? afterEnd : afterKill;
  }
  return { lastCreation: last + slack.creation, lastChange: last + slack.change };
}
