/** Looks up what has become of each user that a run created. */
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import type { LoadedJournal } from '../../journal/load.ts';
import { State, type States } from '../../journal/states.ts';
import { foldName } from '../../records/text.ts';
import { readUser, type FoundUser } from '../reconcile/find-users.ts';
import { waitForList, type ListContext } from '../reconcile/list-lag.ts';
import { findAll } from '../reconcile/look-up.ts';
import { WriteTimes } from '../reconcile/write-times.ts';
import { readCreated, readRunEnd, type CreatedUser, type RunEnd } from './created-users.ts';

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
  /** The user may be there: the list of the service is behind, and the id is not known. */
  readonly notYet?: boolean;
}

export interface LookUpRequest extends ListContext {
  /** Of the import. */
  readonly path: string;
  readonly journal: Pick<LoadedJournal, 'header' | 'states' | 'writes'>;
  /** What an undo that stopped has deleted. */
  readonly undone: States | undefined;
}

/** Users that are looked up at a time. */
const atOnce = 500;

export async function* lookUpCreated(request: LookUpRequest): AsyncGenerator<LookedUp> {
  const { path, journal, undone } = request;
  const writes = new WriteTimes(journal);
  const isLate = journal.writes !== undefined && !(await waitForList(request, journal.writes.last));
  const run: RunTimes = { ...(await readRunEnd(path)), writes, isExact: isExact(journal), isLate };
  let batch: CreatedUser[] = [];
  for await (const created of readCreated(path, journal)) {
    if (undone?.get(created.entry) === State.created) {
      yield { created, standing: 'undone' };
      continue;
    }
    batch.push(created);
    if (batch.length < atOnce) continue;
    yield* await lookUpBatch(request, run, batch);
    batch = [];
  }
  yield* await lookUpBatch(request, run, batch);
}

interface RunTimes extends RunEnd {
  readonly writes: WriteTimes;
  /** The journal says when requests have written; those of earlier versions do not. */
  readonly isExact: boolean;
  /** The list of the service does not show all writes of the run. */
  readonly isLate: boolean;
}

const isExact = ({ header, writes }: LookUpRequest['journal']): boolean =>
  header.newestBefore !== undefined && writes !== undefined;

async function lookUpBatch(
  request: LookUpRequest,
  run: RunTimes,
  batch: readonly CreatedUser[],
): Promise<LookedUp[]> {
  // The journal does not say in which of several organizations a user is. Those that it created may be gone.
  const { orgs, creates = [] } = request.journal.header;
  const found = await findAll(
    { ...request, reads: 'all', newOrgs: creates.length > 0 },
    batch.map(({ id, userName }) => ({ id, userName, orgs })),
  );
  const looked = batch.map((created, at) => ({ created, found: found[at] }));
  if (!run.isExact) learnTimes(run, looked);
  const standings = looked.map(({ created, found: user }) => toStanding(created, user, run));
  // A list that is behind shows users who are gone, or as they were before: those who would stay are read by id.
  const stays = [...standings.keys()].filter(
    (at) => standings[at]!.found !== undefined && standings[at]!.standing !== 'ours',
  );
  await forEachConcurrent(stays, { now: readsAtOnce }, async (at) => {
    const { created, found: user } = standings[at]!;
    const { id, org } = user!;
    standings[at] = toStanding(created, await readUser(request.client, org, { id, userName: '' }), run);
  });
  return standings;
}

const readsAtOnce = 8;

function toStanding(created: CreatedUser, found: FoundUser | undefined, run: RunTimes): LookedUp {
  return found === undefined
    ? { created, standing: 'gone', notYet: run.isLate && created.id === '' }
    : { created, standing: standingOf(created, found, run), found };
}

/** How far two clocks are apart, from users that are the run's own as far as can be known. */
function learnTimes(
  { writes }: RunTimes,
  looked: readonly { readonly created: CreatedUser; readonly found: FoundUser | undefined }[],
): void {
  for (const { created, found } of looked) {
    if (found === undefined || created.proof === 'none' || !isSameUser(created, found)) continue;
    if (writes.isNear(found.createdAt, created.at)) writes.learn(created.at, found.createdAt);
  }
}

const isSameUser = ({ userName }: CreatedUser, found: FoundUser): boolean =>
  foldName(found.userName) === foldName(userName);

function standingOf(created: CreatedUser, found: FoundUser, run: RunTimes): Standing {
  if (created.proof !== 'answer' && !isByRun(created, found, run)) return 'foreign';
  return found.changedAt > run.writes.latest(run.lastChange) ? 'changed' : 'ours';
}

/** The clocks that wrote these times can be far apart; a request that took a second has written within it. */
const tolerance = 1000;

function isByRun(
  created: CreatedUser,
  found: FoundUser,
  { writes, isExact, lastCreation }: RunTimes,
): boolean {
  const { proof, writtenAt, at } = created;
  if (!writes.isPossible(found.createdAt, at)) return false;
  const latest = writtenAt === undefined ? writes.latest(lastCreation) : writtenAt + tolerance;
  if (found.createdAt > latest) return false;
  // With exact times the id says it; the user may have been renamed since.
  return (proof === 'id' && isExact && writtenAt !== undefined) || isSameUser(created, found);
}
