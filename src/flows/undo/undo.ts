/** Rolls back an import: deletes the users that the run of a journal created, and no others. */
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { InterruptedError } from '../../errors.ts';
import { type RunContext, warning } from '../../events.ts';
import { isJournalLocked, type Journal } from '../../journal/journal.ts';
import { entriesOf, type JournalHeader } from '../../journal/lines.ts';
import { State, States } from '../../journal/load.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { removeUser } from '../reconcile/find-users.ts';
import { lockRun, openJournal, type JournalOptions } from '../runs/open-journal.ts';
import { findRemaining, readCreations, removeCreations, type RunCreations } from './created-resources.ts';
import {
  readCreated,
  type CreatedUser,
  mayDelete,
  type UserStatus,
  type UndoRun,
  createLook,
  lookUpCreated,
  type LookedUp,
} from './may-delete.ts';

export interface UndoRequest extends UndoRun {
  readonly client: Client;
  readonly undoJournal: JournalOptions;
  /** What to do with empty organizations that the run created. */
  readonly createdOrgs: 'keep' | 'delete';
  /** Also delete users that were changed since the run. */
  readonly alsoChanged: boolean;
  readonly concurrency: number;
  readonly perSecond: number | undefined;
  /** How long to wait for the service's lists, in milliseconds. */
  readonly wait: number;
  /** Is called for each user who stays. */
  readonly onStays?: (user: LookedUp, outcome: Stays, why: string) => Promise<void>;
  /** If several runs are rolled back at once: ids of users that newer runs created. This run adds its own. */
  readonly newer?: Set<string> | undefined;
}

/** Refused by the service; changed since the users were counted; or another user has the id or the name by now. */
type Stays = 'refused' | 'changed' | 'foreign';

export type UndoCounts = ReturnType<typeof noCounts>;

export interface UndoPlan extends UndoCounts {
  /** State by entry. `open` users would be deleted, no others. `created` ones were deleted by the rollback that stopped. */
  readonly planned: States;
  /** What else the run created. It is deleted unless it is in use. */
  readonly creations: RunCreations;
  /** Whether the import goes on and creates more users. */
  readonly isRunning: boolean;
}

/** A user that will be deleted, or that stays although the run created a user with that id or name. */
export interface PlannedUser extends LookedUp {
  readonly willGo: boolean;
}

/** Looks up all users first, so that a dry run can say what would be deleted. */
export async function countUndo(
  request: UndoRequest,
  context: RunContext,
  report: (user: PlannedUser) => Promise<void>,
): Promise<UndoPlan> {
  const { name, client, journal, stopped, wait } = request;
  const lists = { ...context, client, wait: { left: wait } };
  const creations = await readCreations(lists, journal, request.createdOrgs);
  const isRunning = isJournalLocked(journal.path);
  const counts = { ...noCounts(), planned: new States(entriesOf(journal.header)), creations, isRunning };
  if (isRunning) {
    const text = `This import is still running (${name}) and creates more users. Stop it before you roll it back.`;
    context.emit(warning('undo:running', text));
  }
  for await (const user of lookUpCreated({ ...lists, journal, undone: stopped?.states })) {
    context.signal.throwIfAborted();
    const { created, found: { id } = { id: '' } } = user;
    // A newer run could only create a user whom this run had created if that one was deleted.
    const looked: LookedUp = request.newer?.has(id) ? { created, status: 'gone' } : user;
    const willGo = mayDelete(looked.status, request.alsoChanged);
    if (mayDelete(looked.status, true)) request.newer?.add(id);
    if (looked.status === 'undone') counts.planned.set([created.entry], State.created);
    if (looked.notYet) {
      counts.notYet += 1;
    } else if (created.proof === 'none' && (looked.status === 'gone' || looked.status === 'foreign')) {
      // It never arrived. Otherwise its user would exist.
      counts.unanswered += 1;
    } else {
      counts.created += 1;
      counts[looked.status] += 1;
    }
    if (willGo) {
      counts.there += 1;
      counts.planned.set([created.entry], State.open);
    }
    if (looked.found !== undefined) await report({ ...looked, willGo });
  }
  // If the run was already rolled back, its other resources may be gone, too.
  if (counts.there === 0) counts.creations = { ...creations, parts: await findRemaining(client, creations) };
  counts.toConfirm = creations.counts === 'user' ? counts.there : counts.creations.parts.length;
  return counts;
}

export function noCounts() {
  const statuses: Record<UserStatus, number> = { ours: 0, changed: 0, foreign: 0, gone: 0, undone: 0 };
  return {
    ...statuses,
    /** Users that the run created, each in one of the statuses. */
    created: 0,
    /** Requests of the run whose answer was lost and that created no user. */
    unanswered: 0,
    /** Users not found who may exist, because the service's list lags and does not show them yet. */
    notYet: 0,
    /** Users that would be deleted. */
    there: 0,
    /** Number that has to be confirmed: the users that would be deleted, or what else the run created if that was its purpose. */
    toConfirm: 0,
    deleted: 0,
    refused: 0,
  };
}

/**
 * Deletes the users that `countUndo` has counted and updates the counts. Then deletes what else the run created and is not in
 * use. Returns how many of these resources stay. `confirmed` is the number that was typed, for all runs that are rolled back.
 */
export async function undo(request: UndoRequest, context: RunContext, counts: UndoPlan, confirmed: number) {
  const { client } = request;
  const { clock, emit, signal } = context;
  const header = headerOf(request, counts, confirmed, clock.now());
  // The import must not continue while it is rolled back.
  const imported = lockRun({ ...request.undoJournal, path: request.journal.path }, context);
  const journal = await openJournal(request.undoJournal, header, context).catch((error: unknown) => {
    imported.release();
    throw error;
  });
  emit({
    type: 'run:start',
    verb: 'undo',
    inputs: [request.name],
    records: counts.there,
    perSecond: request.perSecond,
  });
  try {
    for (const { attempt, entries } of journal.open) {
      const created = entries.filter((entry) => counts.planned.get(entry) === State.created);
      await journal.settle(attempt, { created });
    }
    try {
      await deleteUsers(request, context, counts, journal);
    } finally {
      await journal.saved();
    }
    if (signal.aborted) throw new InterruptedError();
    const lists = { ...context, client, wait: { left: request.wait } };
    const keptOthers = await removeCreations(lists, counts.creations);
    if (signal.aborted) throw new InterruptedError();
    await journal.finish(client.serverNow());
    return keptOthers;
  } finally {
    imported.release();
    journal.close();
  }
}

/** Deletes only counted users. Each is looked up again right before the deletion, and stays if changed meanwhile. */
async function deleteUsers(request: UndoRequest, context: RunContext, counts: UndoPlan, journal: Journal) {
  const { client, alsoChanged, concurrency, onStays } = request;
  const { emit, signal } = context;
  const look = await createLook(client, request.journal);
  const work = async (created: CreatedUser) => {
    if (counts.planned.get(created.entry) !== State.open) return;
    const looked = await look.read(created);
    const { status, found } = looked;
    const end = mayDelete(status, alsoChanged) ? await deleteOne(journal, client, looked) : status;
    const name = `${found?.id ?? ''} ${created.userName}`;
    if (end === 'deleted') counts.deleted += 1;
    else if (end instanceof ApiError) {
      counts.refused += 1;
      emit(warning('undo:refused', `${name} is not deleted: ${end.text}`));
      await onStays?.(looked, 'refused', end.text);
    } else {
      counts.ours -= 1;
      counts[end] += 1;
      if (end === 'changed' || end === 'foreign') {
        const why =
          end === 'changed' ? 'changed since you were asked' : 'another user has the id or the name';
        emit(warning('undo:stays', `${name} stays: ${why}.`));
        await onStays?.(looked, end, why);
      }
    }
    emit({ type: 'run:progress', bytes: 0, records: counts.deleted + counts.refused });
  };
  await forEachConcurrent(readCreated(request.journal), concurrency, work, signal);
}

/**
 * Deletes a user. Deleting twice does no harm, so after a lost answer the call is simply repeated. Returns a refusal, which may
 * concern this user alone. Throws errors that concern all users.
 */
async function deleteOne(
  journal: Journal,
  client: Client,
  { created: { entry, oldId, userName }, found }: LookedUp,
) {
  const { id = '' } = found ?? {};
  const at = client.serverNow();
  const attempt = await journal.intend({ at, entries: [entry], users: [[oldId, userName, '']] });
  let wasThere: boolean;
  try {
    wasThere = await removeUser(client, id);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 409)) {
      await journal.settleSoon(attempt, { failed: [{ entry, code: 'undo:refused', detail: error.text }] });
      return error;
    }
    throw error;
  }
  await journal.settleSoon(attempt, { created: [entry], ids: [[entry, id]] });
  return wasThere ? 'deleted' : 'gone';
}

function headerOf(
  { journal: { header, path }, stopped }: UndoRequest,
  { created, there }: UndoCounts,
  confirmed: number,
  now: number,
): JournalHeader {
  return {
    verb: 'undo',
    input: { names: [path], bytes: created, sha256: header.input.sha256 },
    url: header.url,
    orgs: header.orgs,
    plan: [['entries', entriesOf(header)]],
    // A resumed rollback keeps what was confirmed at its start, for all runs that it rolls back.
    settings: stopped?.header.settings ?? {
      startedAt: String(header.startedAt),
      fingerprints: header.settings['fingerprints'] ?? '',
      confirmed: String(there),
      confirmedAll: String(confirmed),
    },
    startedAt: now,
  };
}
