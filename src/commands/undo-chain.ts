/** Finds the runs of one rollback: the run of the named journal, and earlier ones of the same journal, which are kept as `.1`, `.2`. */
import type { UndoFlags } from '../flags/imports.ts';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { warning } from '../events.ts';
import { findJournal, findUndo, mustResume, readJournal } from '../flows/runs/open-journal.ts';
import type { UndoRun } from '../flows/undo/may-delete.ts';
import type { RunCreations } from '../flows/undo/created-resources.ts';
import type { UndoRequest } from '../flows/undo/undo.ts';
import { nextOf } from './runs.ts';
import { listRuns, type Run } from '../flows/runs/list-runs.ts';
import { canonicalPath } from '../lib/canonical-path.ts';
import { printable, formatCounted, shellWord } from '../lib/format.ts';
import { type CommandContext, confirmer } from './context.ts';

/** Returns the runs of a folder that can be rolled back, the oldest first. */
async function listRunsIn(folder: string, shownFolder: string) {
  const found: Run[] = [];
  for await (const run of listRuns(folder, shownFolder))
    if (nextOf(run).next.some(({ command }) => command.startsWith('idport undo'))) found.push(run);
  return found;
}

/** Asks which run of the folder to roll back. Undefined if the user chooses none. Throws `UsageError` without a terminal. */
export async function chooseJournal({ cwd, dialog }: CommandContext) {
  const found = await listRunsIn(cwd, '');
  if (found.length === 0) {
    throw new UsageError(
      'this folder has no journal of a run that can be rolled back',
      'Name the journal: idport undo <journal>.',
    );
  }
  const choices = found.map(({ journal, header, state, users }) => ({
    value: journal,
    label: `${journal} (${header?.verb}, ${state}, ${formatCounted(users.created, 'user')} created)`,
  }));
  if (dialog === undefined) {
    throw new UsageError(
      '--journal is missing: it says which run is rolled back',
      `Here are ${choices.map(({ label }) => printable(label)).join('; ')}.`,
    );
  }
  const none = { value: '', label: 'None' };
  return (
    (await (await dialog()).choose('Which run do you want to roll back?', [...choices, none])) || undefined
  );
}

/** Returns a sentence about other runs of the folder that created users. Empty if there are none. */
export async function describeOthers(runs: readonly [UndoRun, ...UndoRun[]], { cwd }: CommandContext) {
  const known = new Set(runs.map(({ journal }) => journal.path));
  const folder = dirname(runs[0].journal.path);
  const others = (await listRunsIn(folder, relative(cwd, folder))).filter(
    ({ journal, users }) => users.created > 0 && !known.has(canonicalPath(journal, cwd)),
  );
  if (others.length === 0) return '';
  const commands = others.map(({ journal }) => `idport undo --journal=${shellWord(journal)}`);
  return ` Other runs of this folder created users: ${commands.join(', ')}.`;
}

/** Returns the named run, then the runs before it; warns of those that cannot be rolled back with it. Throws `InputError` if there is no journal of this name. */
export async function findRuns(name: string, context: CommandContext): Promise<[UndoRun, ...UndoRun[]]> {
  const path = canonicalPath(name, context.cwd);
  const journal = await readJournal(name, path);
  const runs: [UndoRun, ...UndoRun[]] = [{ name, journal }];
  const folder = dirname(path === resolve(context.cwd, name) ? name : path);
  // The header lists names without a folder, the oldest first.
  for (const file of (journal.header.follows ?? []).toReversed()) {
    const before = join(folder, basename(file));
    const found = await findJournal(canonicalPath(before, context.cwd));
    const { url } = found?.header ?? {};
    if (found !== undefined && url === journal.header.url) {
      runs.push({ name: before, journal: found });
      continue;
    }
    const text =
      url === undefined
        ? `The journal of a previous run is missing: ${before}. The users that it created stay.`
        : `A previous run was at ${url}: its users stay. Roll it back as well: idport undo --journal=${shellWord(before)} --url=${shellWord(url)}`;
    context.emit(warning('undo:previous', text));
  }
  const undone = await Promise.all(runs.map((run) => findUndo(run.journal)));
  if (undone.some((undo) => undo?.finished === false))
    for (const [at, run] of runs.entries()) run.stopped = undone[at];
  return runs;
}

/** Returns how to open the journal of each rollback. Asks or refuses before anything is looked up. */
export async function planJournals(
  runs: readonly UndoRun[],
  { yes, resume, stealLock }: UndoFlags,
  context: CommandContext,
) {
  const hasStopped = runs.some(({ stopped }) => stopped !== undefined);
  const opened: UndoRequest['undoJournal'][] = [];
  for (const [at, { journal, stopped }] of runs.entries()) {
    // Resumes the rollbacks that have begun. If none has, that of the named run reports it. A rollback that has ended is
    // repeated.
    const isUnknown = !hasStopped && at === 0 && (await findUndo(journal)) === undefined;
    const mayResume = resume && (stopped !== undefined || isUnknown);
    const options = { path: `${journal.path}.undo`, resume: mayResume, ask: confirmer(context), stealLock };
    opened.push(yes === undefined ? options : { ...options, resume: await mustResume(options) });
  }
  return opened;
}

/**
 * Throws `UsageError` unless `confirmed` is the number of what can be deleted, or the number confirmed for a rollback
 * that stopped.
 */
export async function checkConfirmed(
  runs: readonly UndoRun[],
  toConfirm: number,
  counts: RunCreations['counts'],
  confirmed: number,
) {
  if (confirmed === toConfirm) return;
  const begun = await Promise.all(runs.map(({ journal }) => findUndo(journal)));
  // The command was typed again, after a stop or with nothing left to delete.
  const isAgain = toConfirm === 0 || begun.some((undo) => undo?.finished !== true);
  const numbers = begun.map((undo) => undo?.header.settings['confirmedAll']);
  if (isAgain && numbers.includes(String(confirmed))) return;
  throw new UsageError(
    `${formatCounted(toConfirm, counts)} can be deleted, not ${confirmed}`,
    toConfirm === 0
      ? `No ${counts} of this run is left to be deleted; idport runs lists the others of a folder.`
      : `Nothing was deleted. Type ${toConfirm}, or pass --yes=${toConfirm}.`,
  );
}
