/** Runs an import of either kind, and says at its end what it has written, or how to resume it if it stopped early. */
import { statSync } from 'node:fs';
import { basename, relative, resolve } from 'node:path';
import type { ApiError } from '../api/api-error.ts';
import { type Emit, note } from '../events.ts';
import { IdportError, UsageError } from '../errors.ts';
import type { ImportEnd } from '../flows/runs/open-run.ts';
import { describeStillActive } from '../flows/runs/journal-users.ts';
import { findJournal, type JournalOptions } from '../flows/runs/open-journal.ts';
import type { ImportFlags } from '../flags/imports.ts';
import { withoutFlags } from '../lib/format.ts';
import { type CommandContext, confirmer } from './context.ts';

/** Throws `UsageError` for flags that do not go together. */
export function journalOptions(
  { resume, fresh, stealLock }: Pick<ImportFlags, 'resume' | 'fresh' | 'stealLock'>,
  path: string,
  context: CommandContext,
): JournalOptions {
  if (resume && fresh) throw new UsageError('give either --resume or --fresh, not both');
  return { path, resume, fresh, stealLock, typed: context.typed, ask: confirmer(context) };
}

type Since = Pick<ImportFlags, 'sinceJournal'>;

export const sinceJournals = ({ sinceJournal = [] }: Since, { cwd }: CommandContext) =>
  sinceJournal.map((path) => resolve(cwd, path));

/**
 * Returns `x.journal`. If --since-journal names that file, returns `x.2.journal`, so that each run can be rolled back
 * alone.
 */
export function nextJournal(base: string, flags: Since, context: CommandContext) {
  const since = sinceJournals(flags, context);
  let path = `${base}.journal`;
  for (let run = 2; since.includes(resolve(context.cwd, path)); run++) path = `${base}.${run}.journal`;
  return path;
}

/** Throws `UsageError` if the id map would not be a file of its own. */
export function claimIdMap(path: string | undefined, { outputs }: CommandContext) {
  if (path !== undefined && basename(path) === '-') {
    throw new UsageError('--id-map needs a file: the id map grows with the run');
  }
  outputs.claim('the id map', path);
}

interface ImportRun {
  readonly verb: 'import' | 'import-users';
  readonly journal: string;
  readonly idMap: string | undefined;
  readonly dryRun?: boolean;
}

/**
 * Runs an import, and says which files it has written. If it stops, its error says how to resume it. The first Ctrl-C
 * lets running calls finish.
 * `atEnd` is called only if the run has begun. Until then, the journal may belong to another run.
 */
export async function runImport<End extends ImportEnd>(
  { verb, journal, idMap, dryRun = false }: ImportRun,
  context: CommandContext,
  work: (context: CommandContext) => Promise<End>,
  atEnd: () => Promise<void> = async () => {},
) {
  let begun = false;
  const emit: Emit = (event) => {
    if (event.type === 'run:start') begun = true;
    context.emit(event);
  };
  const tell = () => emit(note('run:draining', draining));
  context.signal.addEventListener('abort', tell, { once: true });
  try {
    const end = await work({ ...context, emit });
    if (dryRun) return end;
    emitWritten('journal', journal, context);
    if (idMap !== undefined) emitWritten('id map', idMap, context);
    emit({ type: 'run:end', verb, tally: end.tally, seconds: end.seconds });
    return end;
  } catch (error) {
    if (!begun || cannotResume(error)) throw error;
    throw withResume(error, await describeStop(journal), context.typed);
  } finally {
    // Programs that use the library may reuse their signal.
    context.signal.removeEventListener('abort', tell);
    if (begun) await atEnd();
  }
}

function emitWritten(what: 'journal' | 'id map', path: string, { cwd, emit }: CommandContext) {
  const near = relative(cwd, path);
  emit({ type: 'file:written', path: near.startsWith('..') ? path : near, what, bytes: statSync(path).size });
}

const draining =
  'Waiting for the running calls. Press Ctrl-C again to stop at once; --resume then looks them up.';

/** Adds `advice` and the command that resumes the run to the hint, except to usage errors. */
export function withResume(error: unknown, advice: string, typed: string) {
  if (!(error instanceof IdportError) || error instanceof UsageError) return error;
  const command = `${withoutFlags(typed, ['resume', 'fresh'])} --resume`;
  error.hint = `${error.hint ?? ''} ${advice}: ${command}`.trimStart();
  return error;
}

/** Returns the advice on how to resume the run of a journal. */
async function describeStop(path: string) {
  const journal = await findJournal(path).catch(() => undefined);
  const still = journal === undefined ? '' : await describeStillActive(journal);
  const first = still === '' ? '' : `${still}. Resuming does that, and undo deletes them. `;
  return `${first}The journal has everything done so far; resume with`;
}

/** Reports whether the journal belongs to another run or is in use, or the organization of the run is gone. */
function cannotResume(error: unknown) {
  if (!(error instanceof IdportError)) return false;
  const { code, id } = error as ApiError;
  return (code.startsWith('journal:') && code !== 'journal:unwritable') || id === 'COMMAND-QXPGs';
}
