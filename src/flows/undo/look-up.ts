/** Whom a run created in; what has become of each of them at the target out. */
import type { Client } from '../../api/client.ts';
import type { LoadedJournal } from '../../journal/load.ts';
import { State, type States } from '../../journal/states.ts';
import { findPeople, type Found } from '../reconcile/find-users.ts';
import { readCreated, readSpan, type Created, type Span } from './created-users.ts';

/**
 * `ours`: there as the run left them. `changed`: somebody changed them since. `foreign`: the id or the name is
 * somebody else's, who was there before the request left or came after the run. `gone`: nobody is there. `undone`: an
 * undo that stopped has deleted them.
 */
export type Standing = 'ours' | 'changed' | 'foreign' | 'gone' | 'undone';

export interface LookedUp {
  readonly created: Created;
  readonly standing: Standing;
  /** Absent for `gone` and `undone`. */
  readonly found?: Found;
  readonly org: string;
}

export interface LookUpRequest {
  readonly client: Client;
  /** Of the import. */
  readonly path: string;
  readonly journal: Pick<LoadedJournal, 'header' | 'states'>;
  /** What an undo that stopped had done. */
  readonly undone: States | undefined;
}

/** So many people are looked up at a time. */
const atOnce = 500;

export async function* lookUp(request: LookUpRequest): AsyncGenerator<LookedUp> {
  const span = await readSpan(request.path);
  let batch: Created[] = [];
  for await (const created of readCreated(request.path, request.journal)) {
    if (request.undone?.get(created.entry) === State.created) {
      yield { created, standing: 'undone', org: '' };
      continue;
    }
    batch.push(created);
    if (batch.length < atOnce) continue;
    yield* await lookUpBatch(request, span, batch);
    batch = [];
  }
  yield* await lookUpBatch(request, span, batch);
}

/** The journal does not say in which of several organizations a person is. */
async function lookUpBatch(
  { client, journal }: LookUpRequest,
  span: Span,
  batch: readonly Created[],
): Promise<LookedUp[]> {
  const ends: LookedUp[] = batch.map((created) => ({ created, standing: 'gone', org: '' }));
  for (const org of journal.header.orgs) {
    const places = [...ends.keys()].filter((place) => !isOurs(ends[place]!.standing));
    if (places.length === 0) break;
    const people = await findPeople(
      client,
      org,
      places.map((place) => batch[place]!),
    );
    for (const [at, place] of places.entries()) {
      const found = people.get(at);
      const created = batch[place]!;
      if (found !== undefined) ends[place] = { created, standing: judge(created, found, span), found, org };
    }
  }
  return ends;
}

const isOurs = (standing: Standing): boolean => standing === 'ours' || standing === 'changed';

function judge(
  { proof, at }: Created,
  { createdAt, changedAt }: Found,
  { lastCreation, lastChange }: Span,
): Standing {
  const byTheRun = createdAt >= at && createdAt <= lastCreation;
  if (proof !== 'answer' && !byTheRun) return 'foreign';
  return changedAt > lastChange ? 'changed' : 'ours';
}
