/**
 * Decides what a rollback may delete: users, organizations, projects and their parts that the run of a journal created, and users
 * only as the run left them. Looks up their current state.
 */
import { dirname } from 'node:path';
import { IdportError, UsageError } from '../../errors.ts';
import {
  findJournals,
  loadJournal,
  readAttempts,
  type JournalProgress,
  State,
  type States,
} from '../../journal/load.ts';
import { foldName } from '../../records/text.ts';
import { type FoundUser, findByName, readUserById } from '../reconcile/find-users.ts';
import { followedUser, readSentUsers } from '../runs/journal-users.ts';
import { tolerance, createWriteTimes, type WriteTimes } from '../reconcile/write-times.ts';
import type { Client } from '../../api/client.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { readLastAdded, readLoggedUser, readRemovals } from '../reconcile/event-log.ts';
import { waitForList, type ListContext } from '../reconcile/list-lag.ts';
import { findAll } from '../reconcile/look-up.ts';

/**
 * `ours`: as the run left it. `changed`: changed since. `foreign`: the id or the name belongs to another user, who was created
 * before the request or after the run. `gone`: does not exist. `undone`: deleted by an undo that stopped.
 */
export type UserStatus = 'ours' | 'changed' | 'foreign' | 'gone' | 'undone';

export interface UndoRun {
  /** Path of the import's journal, as typed and resolved. */
  readonly name: string;
  readonly journal: JournalProgress;
  /** Journal of the rollback, if this rollback or that of another run of the same command stopped before its end. */
  stopped?: JournalProgress | undefined;
}

/** Reports whether to delete a user. Users changed since the run are deleted only if requested. */
export function mayDelete(status: UserStatus, alsoChanged: boolean) {
  return status === 'ours' || (status === 'changed' && alsoChanged);
}

export type RunRules = Awaited<ReturnType<typeof readRunRules>>;

/** Tolerances after the end of a run, in milliseconds, because requests take time. */
const afterEnd = { creation: 60_000, change: 5_000 };
/** Tolerances after a kill: a request may have been waiting to be sent after the journal's last line. */
const afterKill = { creation: 600_000, change: 120_000 };

export async function readRunRules(journal: JournalProgress) {
  const { header } = journal;
  const { startedAt } = header;
  const times = createWriteTimes(journal);
  const { last, slack, later } = await readRunTimes(journal, times);
  const laterChanges = await readLaterChanges(journal);
  const latest = times.latest(Math.max(last + slack.creation, startedAt));
  /** A bulk import sets addresses to verified at its end. Its journal does not say when for each user. */
  const runEnd = times.latest(last + slack.change);

  /** Returns the time until which writes to a user count as those of the run or of later runs. */
  const lastOwn = ({ entry, id, writtenAt }: CreatedUser) => {
    let last =
      writtenAt === undefined || header.settings['emails'] === 'verified'
        ? runEnd
        : Math.max(writtenAt, later.get(entry) ?? 0) + tolerance;
    for (const { changedAt, until } of laterChanges.get(id) ?? []) {
      // Others changed the user before this change. It is not as a run left it, whatever runs wrote later.
      if (changedAt > last) break;
      last = Math.max(last, until);
    }
    return last;
  };
  const isByRun = (created: CreatedUser, found: FoundUser) => {
    const { proof, writtenAt, at } = created;
    if (!times.isPossible(found.createdAt, at)) return false;
    if (found.createdAt > (writtenAt === undefined ? latest : writtenAt + tolerance)) return false;
    // With exact times, the id proves it. The user may have been renamed since.
    const isExact = header.newestBefore !== undefined && writtenAt !== undefined;
    return (proof === 'id' && isExact) || foldName(found.userName) === foldName(created.userName);
  };
  return {
    /** What was created later is not of the run. On the clock that stamps it, in milliseconds. */
    latest,
    /** Reports whether the run may have created an organization, project or part of one that was created at this time. */
    isOfRun: (createdAt: number) => times.isPossible(createdAt, startedAt) && createdAt <= latest,
    statusOf(created: CreatedUser, found: FoundUser): UserStatus {
      if (created.proof !== 'answer' && !isByRun(created, found)) return 'foreign';
      return found.changedAt > lastOwn(created) ? 'changed' : 'ours';
    },
  };
}

/**
 * Returns when the run may have been working at the latest, by the service's `Date`, and by entry when calls of their own wrote a
 * user after its creation.
 */
async function readRunTimes({ path, header, endedAt }: JournalProgress, times: WriteTimes) {
  const later = new Map<number, number>();
  let last = endedAt ?? 0;
  for await (const { intent, outcome } of readAttempts(path)) {
    const { at, entries } = intent;
    last = Math.max(last, at);
    const user = followedUser(header, entries[0] ?? -1);
    if (user === undefined || outcome === undefined) continue;
    // If the answer was lost, a later call learned that it was done. So it was done before that call.
    const written = outcome.writtenAt ?? times.latest(at + afterEnd.change);
    later.set(user, Math.max(written, later.get(user) ?? 0));
  }
  return { last, slack: endedAt === undefined ? afterKill : afterEnd, later };
}

interface LaterChange {
  /** When the user was last written before the change, and when the change can have been written at the latest. */
  readonly changedAt: number;
  readonly until: number;
}

/**
 * Reads the changes by incremental runs, whose journals are in the same folder. They change users in place, which is no change by
 * others. Returns them by id of the user, oldest first.
 */
async function readLaterChanges({ path, header: { url } }: JournalProgress) {
  const changes = new Map<string, LaterChange[]>();
  // An unreadable journal proves nothing: its users count as changed by others and stay.
  for (const other of await findJournals(dirname(path))) {
    const { verb } = other.header;
    if (verb !== 'import-users' || other.header.url !== url || other.path === path) continue;
    await readChanges(other.path, changes).catch((error: unknown) => {
      if (!(error instanceof IdportError)) throw error;
    });
  }
  return changes;
}

async function readChanges(path: string, changes: Map<string, LaterChange[]>) {
  const journal = await loadJournal(path);
  const times = createWriteTimes(journal);
  const add = (id: string, changedAt: number, writtenAt: number) =>
    void changes.set(id, [...(changes.get(id) ?? []), { changedAt, until: writtenAt + tolerance }]);
  for (const { id, at, changedAt, writtenAt } of journal.left.values())
    if (changedAt !== undefined) add(id, changedAt, writtenAt ?? times.latest(at + afterKill.change));
  for await (const { intent, outcome } of readAttempts(path)) {
    const { at, changedAt, ids: [[, id] = [0, '']] = [] } = intent;
    if (changedAt === undefined) continue;
    const { changed = [], failed = [], unconfirmed = intent.entries, writtenAt } = outcome ?? {};
    const isDone = changed.length + failed.length > 0;
    if (!isDone && unconfirmed.length === 0) continue;
    // If the run was killed, a part may be done.
    const slack = isDone ? afterEnd : afterKill;
    add(id, changedAt, writtenAt ?? times.latest(at + slack.change));
  }
}

export interface CreatedUser {
  /** Number in the journal of the import. */
  readonly entry: number;
  /** Id at the target. Empty if only the name is known. */
  readonly id: string;
  readonly oldId: string;
  readonly userName: string;
  /** When the request was sent, by the service's `Date`, in milliseconds. */
  readonly at: number;
  /**
   * `answer`: the service chose the id and gives it to no other user. `id`: it accepted the id of the source, which another user
   * may have by now. `none`: the answer was lost, and another user may have the name.
   */
  readonly proof: 'answer' | 'id' | 'none';
  /** When the request last wrote, on the clock that stamps users. Undefined if not known. */
  readonly writtenAt: number | undefined;
}

/** Yields the created users. Requests with unknown result come last. Throws `UsageError` for a journal of another verb. */
export async function* readCreated(journal: JournalProgress): AsyncGenerator<CreatedUser> {
  const { header, states } = journal;
  // `create-idps` creates no users.
  if (header.verb === 'create-idps') return;
  // It is unknown which users the service's own job created.
  if (header.settings['route'] === 'bucket') {
    throw new UsageError(
      `${journal.path}: the service fetched these users itself and does not say which it created`,
      'An import through a bucket cannot be undone.',
    );
  }
  // Otherwise the service chooses the ids of a one-by-one import.
  const isOneCall = header.settings['api'] === 'v2';
  for await (const sent of readSentUsers(journal)) {
    const { entry, id: oldId, userName, at, end, newId, writtenAt } = sent;
    const user = { entry, oldId, userName, at, writtenAt };
    if (end === 'created') {
      yield newId === undefined || isOneCall
        ? { ...user, id: newId ?? oldId, proof: 'id' }
        : { ...user, id: newId, proof: 'answer' };
    } else if (end === 'open' && states.get(entry) !== State.created) {
      const chosen = header.verb === 'import-users' && !isOneCall;
      yield { ...user, id: chosen ? '' : (newId ?? oldId), proof: 'none' };
    }
  }
}

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
  readonly look: Awaited<ReturnType<typeof createLook>>;
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
