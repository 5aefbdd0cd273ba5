/** The journal of an import in; everybody whom that run created deleted at the target, and nobody else, out. */
import type { Client } from '../../api/client.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import type { Emit } from '../../events.ts';
import type { Journal } from '../../journal/journal.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import type { Clock } from '../../lib/clock.ts';
import { findPeople, type Found } from '../import/look-up.ts';
import { settleThen, settleUndone } from '../import-users/run.ts';
import { sideBySide } from '../import-users/side-by-side.ts';
import { Width } from '../import-users/width.ts';
import { openJournal } from '../open-journal.ts';
import { removeUser } from '../remove-user.ts';
import { readCreated, type Created } from './created.ts';

export interface UndoRequest {
  readonly client: Client;
  /** The journal of the import as it was typed. */
  readonly name: string;
  /** Where it is. */
  readonly journalPath: string;
  readonly header: JournalHeader;
  /** Of this run. */
  readonly undoJournal: { readonly path: string; readonly resume: boolean };
  /** What was typed; undefined for a dry run. */
  readonly confirmed: number | undefined;
  readonly concurrency: number;
  readonly perSecond: number | undefined;
  readonly print: (created: Created) => Promise<void>;
}

export interface UndoContext {
  readonly emit: Emit;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface UndoCounts {
  /** Created by the run, as its journal has them. */
  created: number;
  /** Of these still at the target. */
  there: number;
  /** Were deleted before, or changed hands: another person has the id or the name now. */
  gone: number;
  deleted: number;
}

/** So many people are looked up at a time. */
const atOnce = 500;

/** Looks everybody up first, so that a dry run says what would be done and nothing else. Never deletes who is older. */
export async function countUndo(
  { client, journalPath, header, print }: Pick<UndoRequest, 'client' | 'journalPath' | 'header' | 'print'>,
  { signal, emit }: UndoContext,
): Promise<UndoCounts> {
  const counts: UndoCounts = { created: 0, there: 0, gone: 0, deleted: 0 };
  for await (const { created, id } of lookUp(client, journalPath, header)) {
    signal.throwIfAborted();
    counts.created += 1;
    counts[id === undefined ? 'gone' : 'there'] += 1;
    if (id !== undefined) await print({ ...created, id });
    emit({ type: 'run:progress', bytes: 0, records: counts.created });
  }
  return counts;
}

/** Throws `UsageError` where the confirmed count is not that of the dry run; the journal says who is deleted. */
export async function undo(
  request: UndoRequest,
  context: UndoContext,
  counts: UndoCounts,
): Promise<UndoCounts> {
  const { client, header, confirmed } = request;
  const { clock, emit, signal } = context;
  if (confirmed !== counts.there) {
    throw new UsageError(`${counts.there} people would be deleted, not ${confirmed}`, {
      hint:
        counts.there === 0
          ? 'Nobody is left to be deleted.'
          : `Nobody was deleted. Type ${counts.there}, or give --yes ${counts.there}.`,
    });
  }
  const journal = await openJournal(request.undoJournal, headerOf(request, counts, clock.now()), emit);
  const width = new Width({ clock, cap: request.concurrency, perSecond: request.perSecond });
  const run = { journal };
  emit({
    type: 'run:start',
    verb: 'undo',
    inputs: [request.name],
    bytes: undefined,
    records: counts.there,
  });
  try {
    for (const { attempt } of journal.open) await settleUndone(run, attempt);
    const work = async ({ created, id, org }: LookedUp): Promise<void> => {
      if (id === undefined) return;
      await deleteOne(run, client, created, { id, org });
      width.answered();
      counts.deleted += 1;
      emit({ type: 'run:progress', bytes: 0, records: counts.deleted });
    };
    try {
      await sideBySide(lookUp(client, request.journalPath, header), width, work, () => signal.aborted);
    } finally {
      await journal.saved();
    }
    if (signal.aborted) throw new InterruptedError();
    await journal.finish(clock.now());
    return counts;
  } finally {
    journal.close();
  }
}

/** Deleting twice is deleting once, so an attempt without an end is simply made again. */
async function deleteOne(
  run: { readonly journal: Journal },
  client: Client,
  { entry, oldId, userName }: Created,
  { id, org }: { readonly id: string; readonly org: string },
): Promise<void> {
  const at = client.serverNow();
  const attempt = await run.journal.intend({ at, entries: [entry], people: [[oldId, userName, '']] });
  try {
    await removeUser(client, org, id);
  } catch (error) {
    await settleUndone(run, attempt);
    throw error;
  }
  await settleThen(run, attempt, { created: [entry], ids: [[entry, id]] }, () => undefined);
}

interface LookedUp {
  readonly created: Created;
  /** Undefined where the person of the run is not there any more. */
  readonly id: string | undefined;
  readonly org: string;
}

async function* lookUp(client: Client, path: string, header: JournalHeader): AsyncGenerator<LookedUp> {
  let batch: Created[] = [];
  for await (const created of readCreated(path, header)) {
    batch.push(created);
    if (batch.length < atOnce) continue;
    yield* await lookUpBatch(client, header.orgs, batch);
    batch = [];
  }
  yield* await lookUpBatch(client, header.orgs, batch);
}

/** The journal does not say in which of several organizations a person is. */
async function lookUpBatch(
  client: Client,
  orgs: readonly string[],
  batch: readonly Created[],
): Promise<LookedUp[]> {
  const ends: LookedUp[] = batch.map((created) => ({ created, id: undefined, org: '' }));
  for (const org of orgs) {
    const places = [...ends.keys()].filter((place) => ends[place]!.id === undefined);
    if (places.length === 0) break;
    const found = await findPeople(
      client,
      org,
      places.map((place) => batch[place]!),
    );
    for (const [at, place] of places.entries()) {
      const user = found.get(at);
      const created = batch[place]!;
      if (user !== undefined && isOurs(created, user)) ends[place] = { created, id: user.id, org };
    }
  }
  return ends;
}

/** Who was at the target before the run's request left was not created by it, whatever id or name they have. */
function isOurs({ at }: Created, { createdAt }: Found): boolean {
  return createdAt >= at;
}

function headerOf({ header, journalPath }: UndoRequest, { created }: UndoCounts, now: number): JournalHeader {
  const entries = header.plan.reduce((sum, [, count]) => sum + count, 0);
  return {
    verb: 'undo',
    input: { name: journalPath, bytes: created, sha256: header.input.sha256 },
    url: header.url,
    orgs: header.orgs,
    plan: [['entries', entries]],
    settings: { startedAt: String(header.startedAt) },
    startedAt: now,
  };
}
