/** Looks up the current state of each user that a run created. */
import type { Client } from '../../api/client.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { type JournalProgress, State, type States } from '../../journal/load.ts';
import { readLastAdded, readLoggedUser, readRemovals } from '../reconcile/event-log.ts';
import { findByName, readUserById, type FoundUser } from '../reconcile/find-users.ts';
import { waitForList, type ListContext } from '../reconcile/list-lag.ts';
import { findAll } from '../reconcile/look-up.ts';
import { readCreated, type CreatedUser, readRunRules, type UserStatus } from './may-delete.ts';

export interface LookedUp {
  readonly created: CreatedUser;
  readonly status: UserStatus;
  /** Absent for `gone` and `undone`. */
  readonly found?: FoundUser;
  /** Whether the user may exist although it was not found: the service's list lags, and the id is not known. */
  readonly notYet?: boolean;
}

interface LookUpRequest extends ListContext {
  /** Journal of the import. */
  readonly journal: JournalProgress;
  /** States of the users that a stopped undo has deleted or was deleting. */
  readonly undone: States | undefined;
}

/** Number of users that are looked up at a time. */
const atOnce = 500;
const readsAtOnce = 8;

/** Looks up users mostly in the list of users, with few requests. */
export async function* lookUpCreated(request: LookUpRequest): AsyncGenerator<LookedUp> {
  const { journal, undone } = request;
  const isLate = journal.writes !== undefined && !(await waitForList(request, journal.writes.last));
  const context: BatchContext = { ...request, isLate, look: await createLook(request.client, journal) };
  let batch: CreatedUser[] = [];
  for await (const created of readCreated(journal)) {
    if (undone?.get(created.entry) === State.created) {
      yield { created, status: 'undone' };
      continue;
    }
    batch.push(created);
    if (batch.length < atOnce) continue;
    yield* await lookUpBatch(context, batch);
    batch = [];
  }
  yield* await lookUpBatch(context, batch);
}

type Look = Awaited<ReturnType<typeof createLook>>;

/**
 * Looks up users one by one: by the id of the journal, else by name. If the service's look-up has lost a user, reads the event
 * log.
 */
export async function createLook(client: Client, journal: JournalProgress) {
  const rules = await readRunRules(journal);
  const hasLog = (await readLastAdded(client)) !== undefined;
  const { orgs } = journal.header;
  const isRemoved = await readRemovals(client, orgs);
  const judge = (created: CreatedUser, found: FoundUser | undefined): LookedUp =>
    found === undefined || isRemoved(found.id, found.createdAt)
      ? { created, status: 'gone' }
      : { created, status: rules.statusOf(created, found), found };
  const find = async ({ id, userName }: CreatedUser) => {
    if (id === '') return findByName(client, orgs, userName);
    const user = (await readUserById(client, id)) ?? (hasLog ? await readLoggedUser(client, id) : undefined);
    return user !== undefined && orgs.includes(user.org) ? user : undefined;
  };
  return {
    hasLog,
    judge,
    read: async (created: CreatedUser): Promise<LookedUp> => judge(created, await find(created)),
  };
}

interface BatchContext extends LookUpRequest {
  readonly look: Look;
  /** Whether the service's list does not show all writes of the run. */
  readonly isLate: boolean;
}

async function lookUpBatch(context: BatchContext, batch: readonly CreatedUser[]): Promise<LookedUp[]> {
  const { journal, look, isLate, undone } = context;
  // The journal does not say in which of several organizations a user is. Those that the run created may be gone.
  const { orgs, creates = [] } = journal.header;
  const found = await findAll(
    { ...context, reads: look.hasLog ? 'sample' : 'all', newOrgs: creates.some(([kind]) => kind === 'org') },
    batch.map(({ id, userName }) => ({ id, userName, orgs })),
  );
  const looked = batch.map((created, at) => look.judge(created, found[at]));
  // The list lags, loses users and shows some who are gone. Only users who are as the run left them need no second look.
  const unsure = [...looked.keys()].filter((at) => looked[at]!.status !== 'ours');
  await forEachConcurrent(unsure, readsAtOnce, async (at) => {
    looked[at] = await look.read(batch[at]!);
  });
  return looked.map((user) => {
    if (user.status !== 'gone') return user;
    const { entry, id } = user.created;
    const isUndone = undone?.get(entry) === State.open;
    return isUndone ? { ...user, status: 'undone' } : { ...user, notYet: isLate && id === '' };
  });
}
