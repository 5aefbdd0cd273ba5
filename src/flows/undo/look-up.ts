/** Looks up what has become of each user that a run created. */
import type { Client } from '../../api/client.ts';
import type { LoadedJournal } from '../../journal/load.ts';
import { State, type States } from '../../journal/states.ts';
import { findUsers, type FoundUser } from '../reconcile/find-users.ts';
import { readCreated, readSpan, type CreatedUser, type Span } from './created-users.ts';

/**
 * `ours`: as the run left it. `changed`: changed since. `foreign`: the id or the name belongs to another user, who was
 * created before the request or after the run. `gone`: not there. `undone`: deleted by an undo that stopped.
 */
export type Standing = 'ours' | 'changed' | 'foreign' | 'gone' | 'undone';

export interface LookedUp {
  readonly created: CreatedUser;
  readonly standing: Standing;
  /** Absent for `gone` and `undone`. */
  readonly found?: FoundUser;
  readonly org: string;
}

export interface LookUpRequest {
  readonly client: Client;
  /** Of the import. */
  readonly path: string;
  readonly journal: Pick<LoadedJournal, 'header' | 'states'>;
  /** What an undo that stopped has deleted. */
  readonly undone: States | undefined;
}

/** Users that are looked up at a time. */
const atOnce = 500;

export async function* lookUp(request: LookUpRequest): AsyncGenerator<LookedUp> {
  const span = await readSpan(request.path);
  let batch: CreatedUser[] = [];
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

/** The journal does not say in which of several organizations a user is. */
async function lookUpBatch(
  { client, journal }: LookUpRequest,
  span: Span,
  batch: readonly CreatedUser[],
): Promise<LookedUp[]> {
  const ends: LookedUp[] = batch.map((created) => ({ created, standing: 'gone', org: '' }));
  for (const org of journal.header.orgs) {
    const places = [...ends.keys()].filter((place) => !isOurs(ends[place]!.standing));
    if (places.length === 0) break;
    const users = await findUsers(
      client,
      org,
      places.map((place) => batch[place]!),
    );
    for (const [at, place] of places.entries()) {
      const found = users.get(at);
      const created = batch[place]!;
      if (found !== undefined)
        ends[place] = { created, standing: standingOf(created, found, span), found, org };
    }
  }
  return ends;
}

const isOurs = (standing: Standing): boolean => standing === 'ours' || standing === 'changed';

function standingOf(
  { proof, at }: CreatedUser,
  { createdAt, changedAt }: FoundUser,
  { lastCreation, lastChange }: Span,
): Standing {
  const byTheRun = createdAt >= at && createdAt <= lastCreation;
  if (proof !== 'answer' && !byTheRun) return 'foreign';
  return changedAt > lastChange ? 'changed' : 'ours';
}
