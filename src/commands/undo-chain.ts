/** The runs of one rollback: that of the named journal, and those before it that --fresh has replaced. */
import { warning } from '../events.ts';
import { basename, dirname, join, resolve } from 'node:path';
import { findJournal, mustResume } from '../flows/resume/open-journal.ts';
import { findStopped, findUndo, wrongCount, type UndoCounts, type UndoRequest } from '../flows/undo/undo.ts';
import { canonicalPath } from '../lib/canonical-path.ts';
import { inputProblem } from '../storage/input-problem.ts';
import type { CommandContext } from './context.ts';

export interface UndoRun {
  /** The path of the journal, as it was typed and resolved. */
  readonly name: string;
  readonly path: string;
  readonly journal: UndoRequest['journal'];
  readonly stopped: UndoRequest['stopped'];
}

/** The named run first, then the one before it. Throws `InputError` where there is no journal of this name. */
export async function findRuns(name: string, context: CommandContext): Promise<[UndoRun, ...UndoRun[]]> {
  const path = canonicalPath(name, context.cwd);
  const journal = await findJournal(path);
  if (journal === undefined) {
    throw inputProblem(name, Object.assign(new Error('missing'), { code: 'ENOENT' }), path);
  }
  const named = { name, path, journal, stopped: await findStopped(`${path}.undo`, journal) };
  const before: UndoRun[] = [];
  const folder = dirname(path === resolve(context.cwd, name) ? name : path);
  // The header names them without a folder; the oldest first.
  for (const file of (journal.header.follows ?? []).toReversed().map((one) => basename(one))) {
    const run = await findBefore(join(folder, file), journal.header.url, context);
    if (run !== undefined) before.push(run);
  }
  return [named, ...before];
}

/** Undefined, with a warning, where it cannot be rolled back with the named run. */
async function findBefore(
  name: string,
  url: string,
  { cwd, emit }: CommandContext,
): Promise<UndoRun | undefined> {
  const path = canonicalPath(name, cwd);
  const journal = await findJournal(path);
  if (journal?.header.url === url) {
    return { name, path, journal, stopped: await findStopped(`${path}.undo`, journal) };
  }
  const text =
    journal === undefined
      ? `The journal of a previous run is missing: ${name}. The users that it created stay.`
      : `A previous run was at ${journal.header.url}: its users stay. Roll it back as well: ` +
        `idport undo --journal ${name} --url ${journal.header.url}`;
  emit(warning('undo:previous', text));
  return undefined;
}

interface Consent {
  readonly yes: number | undefined;
  readonly resume: boolean;
  readonly stealLock: boolean | undefined;
}

/** How the journal of each rollback is opened. Asked, or refused, before anything is looked up. */
export async function planJournals(
  runs: readonly UndoRun[],
  { yes, resume, stealLock }: Consent,
  { askYes }: CommandContext,
): Promise<UndoRequest['undoJournal'][]> {
  const hasStopped = runs.some(({ stopped }) => stopped !== undefined);
  const places: UndoRequest['undoJournal'][] = [];
  for (const [at, { path, stopped }] of runs.entries()) {
    // Of several, those that have begun; where none has, the named one says so.
    const mayResume = resume && (stopped !== undefined || (!hasStopped && at === 0));
    const place = { path: `${path}.undo`, resume: mayResume, ask: askYes, stealLock };
    places.push({ ...place, resume: yes === undefined ? place.resume : await mustResume(place) });
  }
  return places;
}

/** Throws `UsageError` where `confirmed` is neither the number of users that are there nor that of a rollback that stopped. */
export async function checkConfirmed(
  runs: readonly UndoRun[],
  { there }: Pick<UndoCounts, 'there'>,
  confirmed: number,
): Promise<void> {
  if (confirmed === there) return;
  const begun = await Promise.all(runs.map(({ path, journal }) => findUndo(`${path}.undo`, journal)));
  const isPart = begun.some((undo) => undo?.finished !== true);
  const numbers = begun.map((undo) => {
    const { confirmedAll, confirmed: ofRun } = undo?.header.settings ?? {};
    return confirmedAll ?? ofRun;
  });
  if (!isPart || !numbers.includes(String(confirmed))) throw wrongCount({ there }, confirmed);
}
