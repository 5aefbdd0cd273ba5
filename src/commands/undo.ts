/** `idport undo`: rolls an import back, by its journal. */
import { dirname, join, resolve } from 'node:path';
import { ExitCode, IdportError, InterruptedError, UsageError } from '../errors.ts';
import { findJournal, mustResume } from '../flows/resume/open-journal.ts';
import {
  countUndo,
  findStopped,
  undo as undoImport,
  type PlannedUser,
  type UndoCounts,
  type UndoRequest,
} from '../flows/undo/undo.ts';
import { formatCount, formatCounted } from '../lib/quantity.ts';
import { inputProblem } from '../storage/input-problem.ts';
import { connect, type ConnectionFlags } from './connect.ts';
import type { Action, CommandContext } from './context.ts';
import { checkConcurrency, chooseProfile, rateOf, speedOptions, type SpeedFlags } from './service-limits.ts';
import { createUndoList } from './undo-list.ts';
import { readDuration } from './values.ts';

export interface UndoFlags extends ConnectionFlags, SpeedFlags {
  readonly journal: string;
  readonly yes?: string;
  readonly changed: 'keep' | 'delete';
  readonly concurrency: string;
  readonly wait: string;
  readonly resume?: boolean;
  readonly stealLock?: boolean;
  /** The command as it was typed, without a token. */
  readonly typed: string;
}

export const undo: Action<UndoFlags> = async (flags, context) => {
  const { cwd, emit, clock } = context;
  const startedAt = clock.monotonic();
  const concurrency = checkConcurrency(flags.concurrency);
  const yes = flags.yes === undefined ? undefined : checkNumber('--yes', flags.yes);
  const journalPath = resolve(cwd, flags.journal);
  const journal = await findJournal(journalPath);
  if (journal === undefined) {
    throw inputProblem(flags.journal, Object.assign(new Error('missing'), { code: 'ENOENT' }), journalPath);
  }
  const profile = await chooseProfile(flags.targetProfile, flags.url ?? context.env['IDPORT_URL'], context);
  const client = await connect(flags, context, { ...speedOptions(flags, profile), connections: concurrency });
  try {
    if (client.url !== journal.header.url) {
      throw new UsageError(`${flags.journal} is about ${journal.header.url}, not ${client.url}`, {
        hint: 'Give the address of that run with --url, or the journal of a run at this address.',
      });
    }
    const path = `${journalPath}.undo`;
    const { stealLock } = flags;
    const place = { path, resume: flags.resume ?? false, ask: context.askYes, stealLock };
    const resume = yes === undefined ? place.resume : await mustResume(place);
    const request: UndoRequest = {
      client,
      name: flags.journal,
      journalPath,
      journal,
      undoJournal: { ...place, resume },
      stopped: await findStopped(path, journal),
      alsoChanged: flags.changed === 'delete',
      concurrency,
      perSecond: rateOf(flags, profile),
      wait: readDuration('--wait', flags.wait),
    };
    warnOfReplaced(request, context);
    nameEarlier(journal.header, flags.journal, context);
    const mustSay = yes === undefined && context.askLine === undefined;
    const counts = await listUsers(request, yes !== undefined, context);
    emit({ type: 'notice', level: 'info', code: 'undo:quote', text: quote(counts, request, mustSay) });
    const confirmed = yes ?? (await ask(counts, context));
    if (confirmed === undefined) return ExitCode.done;
    await undoImport(request, context, counts, confirmed).catch((error: unknown) => {
      throw withResume(error, flags);
    });
    const seconds = (clock.monotonic() - startedAt) / 1000;
    const deleted = `${formatCounted(counts.deleted, 'user')} deleted.`;
    emit({ type: 'notice', level: 'info', code: 'undo:deleted', text: deleted });
    emit({ type: 'undo:end', verb: 'undo', ...countUsers(counts, request), requests: client.sent, seconds });
    return exitCodeOf(counts, request);
  } finally {
    await client.close();
  }
};

async function listUsers(
  request: UndoRequest,
  goesOn: boolean,
  context: CommandContext,
): Promise<UndoCounts> {
  const list = createUndoList({ path: `${request.name}.undo.list`, goesOn }, context);
  try {
    const counts = await countUndo(request, context, (user) => list.add(formatUser(user)));
    await list.finish();
    return counts;
  } finally {
    list.discard();
  }
}

/** Every user of the run is in exactly one of these. */
function countUsers(
  { created, deleted, undone, gone, foreign, changed, refused }: UndoCounts,
  { alsoChanged }: UndoRequest,
) {
  const kept = alsoChanged ? 0 : changed;
  return { users: { created, deleted: deleted + undone, gone, foreign, changed: kept, refused } };
}

function exitCodeOf({ refused, changed, notYet }: UndoCounts, { alsoChanged }: UndoRequest): ExitCode {
  if (notYet > 0) return ExitCode.notYet;
  if (refused > 0) return ExitCode.rejected;
  return changed > 0 && !alsoChanged ? ExitCode.differs : ExitCode.done;
}

/** What those created is not in this journal. */
function nameEarlier(
  { follows = [] }: UndoRequest['journal']['header'],
  journal: string,
  { emit }: CommandContext,
): void {
  for (const name of follows) {
    const text =
      `This run was begun with --fresh: what the previous run created is in ${join(dirname(journal), name)}. ` +
      `Roll that back as well: idport undo --journal ${join(dirname(journal), name)}`;
    emit({ type: 'notice', level: 'warning', code: 'undo:previous', text });
  }
}

/** A user that was deleted to be replaced cannot come back. */
function warnOfReplaced({ journal: { header } }: UndoRequest, { emit }: CommandContext): void {
  if ((header.settings['since-journal'] ?? '') === '') return;
  const text =
    'This was an incremental run: users that it replaced are deleted, and what the previous run imported of them does ' +
    'not come back. A later run with --since-journal for each of the journals imports them again.';
  emit({ type: 'notice', level: 'warning', code: 'undo:replaced', text });
}

/** `- 4711 ann`: will be deleted; `= 4712 bob: ...`: stays, and why */
function formatUser({ created, standing, found, willGo }: PlannedUser): string {
  const date = (time: number | undefined): string => new Date(time ?? 0).toISOString();
  const name = `${found?.id ?? ''} ${found?.userName ?? ''}`;
  const details = {
    ours: created.proof === 'none' ? `the answer was lost; created since, at ${date(found?.createdAt)}` : '',
    changed: `changed since the run, at ${date(found?.changedAt)}`,
    foreign: `not of this run, created at ${date(found?.createdAt)}`,
    gone: '',
    undone: '',
  };
  const detail = details[standing];
  return `${willGo ? '-' : '='} ${name}${detail === '' ? '' : `: ${detail}`}`;
}

function quote(counts: UndoCounts, { alsoChanged, stopped }: UndoRequest, mustSay: boolean): string {
  const { created, unanswered, notYet, there, gone, foreign, changed, undone } = counts;
  if (created + notYet === 0) return 'The run created no users: there is nothing to delete.';
  const parts = [`The run created ${formatCounted(created, 'user')}`];
  if (undone > 0) parts.push(`${formatCount(undone)} were deleted by the rollback that stopped`);
  if (unanswered > 0) {
    parts.push(`${formatCounted(unanswered, 'request')} without an answer created no user`);
  }
  if (notYet > 0) {
    parts.push(
      `of ${formatCounted(notYet, 'request')} without an answer it is not known yet whether a user is there: ` +
        'the list of the service is behind (run it again, or wait longer with --wait)',
    );
  }
  if (gone > 0) parts.push(`${formatCount(gone)} are not there any more`);
  if (foreign > 0) parts.push(`of ${formatCount(foreign)} the name or id belongs to another user, who stays`);
  if (changed > 0 && !alsoChanged) {
    parts.push(`${formatCount(changed)} were changed since and stay (--changed=delete deletes them as well)`);
  }
  if (there === 0) return `${parts.join('; ')}. No user is left to delete.`;
  const text = `${parts.join('; ')}; ${formatCount(there)} of them would be deleted.`;
  const resume = stopped === undefined ? '' : '--resume ';
  return mustSay ? `${text} To delete them, give ${resume}--yes ${there}.` : text;
}

/** Undefined without a terminal to answer, or for an empty answer: then it was a dry run. */
async function ask({ there }: UndoCounts, { askLine }: CommandContext): Promise<number | undefined> {
  if (there === 0 || askLine === undefined) return undefined;
  const answer = (await askLine(`Type ${there} to delete them, or nothing to leave them: `)).trim();
  if (answer === '') return undefined;
  if (answer === String(there)) return there;
  throw new UsageError(`Expected ${there}. Nothing was deleted.`);
}

function withResume(error: unknown, { typed }: UndoFlags): unknown {
  if (!(error instanceof IdportError) || error instanceof UsageError) return error;
  const command = typed.includes('--resume') ? typed : `${typed} --resume`;
  const hint = `${error.hint === undefined ? '' : `${error.hint} `}Resume with: ${command}`;
  if (error instanceof InterruptedError) return new InterruptedError('interrupted', { hint, cause: error });
  return new IdportError(error.code, error.message, { hint, cause: error });
}

function checkNumber(what: string, text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new UsageError(`${what}: ${text} is not a number`, { hint: 'Nothing was deleted.' });
}
