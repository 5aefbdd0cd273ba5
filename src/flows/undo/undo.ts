/** The journal of an import in; everybody whom that run created deleted at the target, and nobody else, out. */
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import type { Emit } from '../../events.ts';
import type { Journal } from '../../journal/journal.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import type { LoadedJournal } from '../../journal/load.ts';
import type { Clock } from '../../lib/clock.ts';
import { formatCounted } from '../../lib/quantity.ts';
import { settleThen, settleUndone } from '../import-users/run.ts';
import { sideBySide } from '../concurrency/for-each-concurrent.ts';
import { Width } from '../concurrency/concurrency.ts';
import { findJournal, openJournal, type JournalPlace } from '../resume/open-journal.ts';
import { removeUser } from '../reconcile/remove-user.ts';
import { lookUp, type LookedUp, type Standing } from './look-up.ts';

export interface UndoRequest {
  readonly client: Client;
  /** The journal of the import as it was typed. */
  readonly name: string;
  /** Where it is. */
  readonly journalPath: string;
  readonly journal: LoadedJournal;
  /** Of this run, and of one before it that did not come to its end. */
  readonly undoJournal: JournalPlace;
  readonly earlier: LoadedJournal | undefined;
  /** Delete those as well whom somebody changed since the run. */
  readonly alsoChanged: boolean;
  readonly concurrency: number;
  readonly perSecond: number | undefined;
}

export interface UndoContext {
  readonly emit: Emit;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface UndoCounts extends Record<Standing, number> {
  /** People whom the run created, each in one of the standings. */
  created: number;
  /** Requests of the run whose end nobody saw, and that brought nobody: no people. */
  unanswered: number;
  /** Would be deleted. */
  there: number;
  deleted: number;
  refused: number;
}

/** Somebody who would be deleted, or who is left alone although the run created somebody of that id or name. */
export interface Foreseen extends LookedUp {
  readonly willGo: boolean;
}

/** The undo of this journal that was stopped; undefined where there is none to go on with. */
export async function findStopped(
  path: string,
  { header }: LoadedJournal,
): Promise<LoadedJournal | undefined> {
  const found = await findJournal(path);
  if (found === undefined || found.finished) return undefined;
  const { input, settings } = found.header;
  const same = input.sha256 === header.input.sha256 && settings['startedAt'] === String(header.startedAt);
  return same ? found : undefined;
}

/** Looks everybody up first, so that a dry run says what would be done and nothing else. */
export async function countUndo(
  request: UndoRequest,
  { signal }: Pick<UndoContext, 'signal'>,
  tell: (foreseen: Foreseen) => Promise<void>,
): Promise<UndoCounts> {
  const counts = noCounts();
  for await (const looked of lookUpAll(request)) {
    signal.throwIfAborted();
    const willGo = isToGo(request, looked.standing);
    if (broughtNobody(looked)) {
      counts.unanswered += 1;
    } else {
      counts.created += 1;
      counts[looked.standing] += 1;
    }
    if (willGo) counts.there += 1;
    if (looked.found !== undefined) await tell({ ...looked, willGo });
  }
  return counts;
}

/** Sent when the run was killed, or never sent: if it had brought somebody, they would be there. */
function broughtNobody({ created: { proof }, standing }: LookedUp): boolean {
  return proof === 'none' && (standing === 'gone' || standing === 'foreign');
}

function noCounts(): UndoCounts {
  const standings = { ours: 0, changed: 0, foreign: 0, gone: 0, undone: 0 };
  return { ...standings, created: 0, unanswered: 0, there: 0, deleted: 0, refused: 0 };
}

function lookUpAll({ client, journalPath: path, journal, earlier }: UndoRequest): AsyncGenerator<LookedUp> {
  return lookUp({ client, path, journal, undone: earlier?.states });
}

function isToGo({ alsoChanged }: UndoRequest, standing: Standing): boolean {
  return standing === 'ours' || (standing === 'changed' && alsoChanged);
}

/**
 * Deletes those whom `countUndo` has counted, and writes the counts. Throws `UsageError` where `confirmed` is not their
 * number, nor the one that was confirmed for the run that is gone on with.
 */
export async function undo(
  request: UndoRequest,
  context: UndoContext,
  counts: UndoCounts,
  confirmed: number,
): Promise<void> {
  const { client, earlier } = request;
  const { clock, emit, signal } = context;
  const first = earlier?.header.settings['confirmed'];
  if (confirmed !== counts.there && String(confirmed) !== first) {
    throw new UsageError(
      `${formatCounted(counts.there, 'person', 'people')} would be deleted, not ${confirmed}`,
      {
        hint:
          counts.there === 0
            ? 'Nobody is left to be deleted.'
            : `Nobody was deleted. Type ${counts.there}, or give --yes ${counts.there}.`,
      },
    );
  }
  const header = headerOf(request, counts, first ?? String(confirmed), clock.now());
  const journal = await openJournal(request.undoJournal, header, emit);
  const width = new Width({ clock, cap: request.concurrency, perSecond: request.perSecond });
  const run: Run = { journal };
  emit({
    type: 'run:start',
    verb: 'undo',
    inputs: [request.name],
    bytes: undefined,
    records: counts.there,
  });
  try {
    for (const { attempt } of journal.open) await settleUndone(run, attempt);
    const work = async (looked: LookedUp): Promise<void> => {
      if (!isToGo(request, looked.standing)) return;
      const refused = await deleteOne(run, client, looked);
      width.answered();
      if (refused === undefined) counts.deleted += 1;
      else {
        counts.refused += 1;
        tellRefused(looked, refused, emit);
      }
      emit({ type: 'run:progress', bytes: 0, records: counts.deleted + counts.refused });
    };
    try {
      await sideBySide(lookUpAll(request), width, work, () => signal.aborted);
    } finally {
      await journal.saved();
    }
    if (signal.aborted) throw new InterruptedError();
    await journal.finish(client.serverNow());
  } finally {
    journal.close();
  }
}

interface Run {
  readonly journal: Journal;
}

/**
 * Deleting twice is deleting once, so an attempt without an end is simply made again. Gives the refusal of one that is
 * about this person alone, and throws the others.
 */
async function deleteOne(
  run: Run,
  client: Client,
  { created: { entry, oldId, userName }, found, org }: LookedUp,
): Promise<ApiError | undefined> {
  const id = found?.id ?? '';
  const at = client.serverNow();
  const attempt = await run.journal.intend({ at, entries: [entry], people: [[oldId, userName, '']] });
  try {
    await removeUser(client, org, id);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 409)) {
      const failed = [{ entry, code: 'undo:refused', detail: error.text }];
      await settleThen(run, attempt, { failed }, () => undefined);
      return error;
    }
    await settleUndone(run, attempt);
    throw error;
  }
  await settleThen(run, attempt, { created: [entry], ids: [[entry, id]] }, () => undefined);
  return undefined;
}

function tellRefused({ created, found }: LookedUp, { text }: ApiError, emit: Emit): void {
  const words = `${found?.id ?? ''} ${created.userName} is not deleted: ${text}`;
  emit({ type: 'notice', level: 'warning', code: 'undo:refused', text: words });
}

function headerOf(
  { journal: { header }, journalPath }: UndoRequest,
  { created }: UndoCounts,
  confirmed: string,
  now: number,
): JournalHeader {
  const entries = header.plan.reduce((sum, [, count]) => sum + count, 0);
  return {
    verb: 'undo',
    input: { name: journalPath, bytes: created, sha256: header.input.sha256 },
    url: header.url,
    orgs: header.orgs,
    plan: [['entries', entries]],
    settings: { startedAt: String(header.startedAt), confirmed },
    startedAt: now,
  };
}
