/** `idport undo`: rolls back the import of a journal. */
import { existsSync } from 'node:fs';
import { note, warning, commit } from '../events.ts';
import { ExitCode, IdportError, messageOf, UsageError } from '../errors.ts';
import {
  countUndo,
  noCounts,
  undo as undoImport,
  type PlannedUser,
  type UndoCounts,
  type UndoPlan,
  type UndoRequest,
} from '../flows/undo/undo.ts';
import { formatCount, formatCounted, printable, nameWithId } from '../lib/format.ts';
import { openReport } from '../flows/report/open-report.ts';
import { undoReport } from '../flows/report/contents.ts';
import type { Sink } from '../lib/sink.ts';
import { linePrinter } from '../storage/stream-sink.ts';
import { countParts } from '../flows/resources/find.ts';
import { mutedFileOf } from '../flows/messages/password-emails.ts';
import type { CreatedPart } from '../flows/undo/created-resources.ts';
import type { UndoFlags } from '../flags/imports.ts';
import type { CommandContext } from './context.ts';
import { connectAtRate } from './connect.ts';
import { byShard } from './shard.ts';
import { checkConfirmed, chooseJournal, describeOthers, findRuns, planJournals } from './undo-chain.ts';
import { unmute } from './muted.ts';
import { withResume } from './run-import.ts';
import { stopwatch } from '../lib/clock.ts';

export const undo = byShard<UndoFlags>(async (flags, context, shard) => {
  const { emit, clock } = context;
  const seconds = stopwatch(clock);
  const name = flags.journal ?? (await chooseJournal(context));
  if (name === undefined) return ExitCode.done;
  const runs = await findRuns(name, context);
  const [{ journal }] = runs;
  const { pace } = await connectAtRate(flags, context, shard);
  const { client } = pace;
  if (client.url !== journal.header.url) {
    throw new UsageError(
      `${name} is about ${journal.header.url}, not ${client.url}`,
      'Give the address of that run with --url, or the journal of a run at this address.',
    );
  }
  const undoJournals = await planJournals(runs, flags, context);
  const newer = runs.length > 1 ? new Set<string>() : undefined;
  const organizations = [...new Set(runs.flatMap((run) => run.journal.header.orgs))];
  context.addFacts({ organizations, journal: name, inputs: runs.map((run) => run.name) });
  for (const run of runs) context.outputs.keep({ what: 'the journal', path: run.journal.path });
  const report = openReport(flags.report, undoReport, context);
  await report?.begin({ journal: name, url: client.url, startedAt: clock.now() });
  const requests = runs.map((run, at): UndoRequest => ({
    ...run,
    ...pace,
    createdOrgs: flags.createdOrgs,
    undoJournal: undoJournals[at]!,
    onStays: async (user, outcome, detail) => report?.add({ ...user, outcome, detail }),
    alsoChanged: flags.changed === 'delete',
    newer,
  }));
  for (const request of requests) warnOfReplaced(request, context);
  const muted = runs.map((run) => mutedFileOf(run.journal.path)).filter((file) => existsSync(file));
  const goesOn = requests.some(({ stopped }) => stopped !== undefined);
  const plans = await planAll(requests, flags.yes !== undefined, context).catch((error: unknown) => {
    if (goesOn) throw withResume(error, 'Resume with', context.typed);
    if (error instanceof IdportError) error.hint = `Nothing was deleted. ${error.hint ?? ''}`.trimEnd();
    throw error;
  });
  const before = sumCounts(plans);
  const { toConfirm } = before;
  const made = plans.flatMap(({ creations }) => creations.parts);
  const noun = plans[0]!.creations.counts;
  const isRunning = !flags.stealLock && plans.some((plan) => plan.isRunning);
  const mustSay = flags.yes === undefined && context.dialog === undefined && !isRunning;
  const quoted = noun === 'user' ? quote(before, requests, made) : quoteIdps(made);
  const how =
    mustSay && toConfirm + made.length > 0
      ? ` To delete them, pass ${goesOn ? '--resume ' : ''}--yes=${toConfirm}.`
      : '';
  emit(note('undo:quote', `${quoted}${how}${toConfirm === 0 ? await describeOthers(runs, context) : ''}`));
  emit({ type: 'run:plan', toConfirm });
  if (muted.length > 0) emit(warning('emails:muted', stillMuted));
  const isNothing = toConfirm + made.length + muted.length === 0;
  const confirmed = flags.yes ?? (isNothing || isRunning ? undefined : await ask(toConfirm, context));
  if (confirmed === undefined) {
    await report?.end({ users: countUsers(before, flags), dryRun: true, seconds: seconds() });
    return before.notYet > 0 ? ExitCode.notYet : ExitCode.done;
  }
  await checkConfirmed(runs, toConfirm, noun, confirmed);
  const end = async (stopped?: string) => {
    const users = countUsers(sumCounts(plans), flags);
    await report?.end({ users, dryRun: false, seconds: seconds(), stopped });
    return users;
  };
  let keptOthers = 0;
  try {
    // The newest first, so that its import cannot go on while its users are deleted.
    for (const [at, request] of requests.entries())
      keptOthers += await undoImport(request, context, plans[at]!, confirmed);
  } catch (error) {
    await end(messageOf(error)).catch(() => {});
    throw withResume(error, 'Resume with', context.typed);
  }
  for (const file of muted) await unmute(flags, file, context);
  const counts = sumCounts(plans);
  if (counts.created > 0) emit(note('undo:deleted', `${formatCounted(counts.deleted, 'user')} deleted.`));
  emit({ type: 'undo:end', verb: 'undo', users: await end(), requests: client.sent, seconds: seconds() });
  return exitCodeOf(counts, keptOthers, flags);
});

const stillMuted =
  'The run switched the email about changed passwords off, and not on again yet. Its --resume or this rollback, once confirmed (also with --yes=0), switches it on.';

/** Plans what to delete of each run, the newest first. */
async function planAll(requests: readonly UndoRequest[], goesOn: boolean, context: CommandContext) {
  const { name, onStays } = requests[0]!;
  const list = createUndoList(`${name}.undo.list`, goesOn, context);
  const plans: UndoPlan[] = [];
  const tell = async (user: PlannedUser) => {
    const detail = detailOf(user);
    const { id = '', userName = '' } = user.found ?? {};
    // `- 4711 ann` will be deleted, `= 4712 bob: ...` stays for the given reason.
    await list.add(`${user.willGo ? '-' : '='} ${id} ${userName}${detail && `: ${detail}`}`);
    if (!user.willGo) await onStays?.(user, user.status as 'changed' | 'foreign', detail);
  };
  for (const request of requests) plans.push(await countUndo(request, context, tell));
  await list.finish();
  return plans;
}

function sumCounts(all: readonly UndoCounts[]) {
  const sum = noCounts();
  for (const counts of all)
    for (const name of Object.keys(sum) as (keyof UndoCounts)[]) sum[name] += counts[name];
  return sum;
}

/** `created` is the sum of the other counts, except in a dry run and in a run that stopped. */
function countUsers(
  { created, deleted, undone, gone, foreign, changed, refused }: UndoCounts,
  flags: UndoFlags,
) {
  const kept = flags.changed === 'delete' ? 0 : changed;
  return { created, deleted: deleted + undone, gone, foreign, changed: kept, refused };
}

function exitCodeOf({ refused, changed, notYet }: UndoCounts, keptOthers: number, flags: UndoFlags) {
  if (notYet > 0) return ExitCode.notYet;
  if (refused > 0) return ExitCode.rejected;
  return keptOthers > 0 || (changed > 0 && flags.changed === 'keep') ? ExitCode.differs : ExitCode.done;
}

/** Warns that users whom an incremental run replaced or changed do not come back. */
function warnOfReplaced({ journal: { header } }: UndoRequest, { emit }: CommandContext) {
  if ((header.settings['since-journal'] ?? '') === '') return;
  const what =
    header.verb === 'import-users'
      ? 'users that it changed stay as it left them.'
      : 'users that it replaced are deleted, and what the previous run imported of them does not come back. A later run with --since-journal for each of the journals imports them again.';
  emit(warning('undo:replaced', `This was an incremental run: ${what}`));
}

function detailOf({ created, status, found }: PlannedUser) {
  const date = (time: number | undefined) => new Date(time ?? 0).toISOString();
  const details = {
    ours: created.proof === 'none' ? `the answer was lost; created since, at ${date(found?.createdAt)}` : '',
    changed: `changed since the run, at ${date(found?.changedAt)}`,
    foreign: `not of this run, created at ${date(found?.createdAt)}`,
    gone: '',
    undone: '',
  };
  return details[status];
}

function quote(counts: UndoCounts, requests: readonly UndoRequest[], others: readonly CreatedPart[]) {
  const alsoChanged = requests[0]?.alsoChanged;
  const run =
    requests.length === 1
      ? 'The run'
      : `The ${requests.length} runs (${requests.map(({ name }) => name).join(', ')})`;
  const { created, unanswered, notYet, there, gone, foreign, changed, undone } = counts;
  if (created + notYet + others.length === 0) return `${run} created no users: there is nothing to delete.`;
  const parts = [
    `${run} created ${formatCounted(created, 'user')}`,
    undone > 0 && `${formatCounted(undone, 'was', 'were')} deleted by an earlier rollback`,
    unanswered > 0 && `${formatCounted(unanswered, 'request')} without an answer created no user`,
    notYet > 0 &&
      `${formatCounted(notYet, 'request')} without an answer may have created a user: the list of the service is behind (run it again, or wait longer with --wait)`,
    gone > 0 && formatCounted(gone, 'no longer exists', 'no longer exist'),
    foreign > 0 &&
      formatCounted(
        foreign,
        'name or id now belongs to another user, who stays',
        'names or ids now belong to other users, who stay',
      ),
    changed > 0 &&
      !alsoChanged &&
      `${formatCounted(changed, 'was changed since and stays', 'were changed since and stay')}, unless you pass --changed=delete`,
  ].filter(Boolean);
  const added = others.filter(({ kind }) => kind !== 'org');
  const orgs = others.length - added.length;
  const empty =
    orgs === 0
      ? ''
      : ` ${formatCounted(orgs, 'organization')} that the run created can be deleted as well, if no users are left there.`;
  const unused =
    added.length === 0
      ? ''
      : ` ${countParts(added)} that the run added can be deleted then, unless other users need them.`;
  if (there + others.length === 0)
    return `${parts.join('; ')}. No user of ${requests.length === 1 ? 'this run' : 'these runs'} is left to delete.`;
  return `${parts.join('; ')}; ${formatCount(there)} can be deleted.${empty}${unused}`;
}

function quoteIdps(idps: readonly CreatedPart[]) {
  if (idps.length === 0) return 'The run has made no identity provider that is still there.';
  const names = idps.map(({ id, name }) => nameWithId(name, id)).join(', ');
  return `${countParts(idps)} can be deleted where no user is linked: ${names}.`;
}

/** Asks for the number of users. Undefined without a terminal or for an empty answer, which make it a dry run. */
async function ask(count: number, { dialog }: CommandContext) {
  const answer = await (await dialog?.())?.text(`Type ${count} to delete them, or nothing to leave them`);
  if (answer === undefined || answer === '') return undefined;
  if (answer === String(count)) return count;
  throw new UsageError(`Expected ${count}. Nothing was deleted.`);
}

/** Number of lines that fit on a terminal without scrolling. */
const shown = 20;

/**
 * Prints the first users, and writes a long list to a file. With a confirmed count (`goesOn`), the run continues even if the
 * reader of standard output closes it.
 */
function createUndoList(path: string, goesOn: boolean, { stdout, emit, outputs }: CommandContext) {
  const first: string[] = [];
  let count = 0;
  let file: Sink | undefined;
  const show = linePrinter(stdout, goesOn);
  return {
    async add(user: string) {
      const line = printable(user);
      count += 1;
      if (count <= shown) {
        first.push(line);
        await show(line);
        return;
      }
      if (file === undefined) {
        file = outputs.open(path);
        await file.write(`${first.join('\n')}\n`);
      }
      await file.write(`${line}\n`);
    },
    /** Completes the file of a long list, and says where it is. */
    async finish() {
      if (file === undefined) return;
      await commit(file, 'list', emit);
      const text = `${formatCounted(count - shown, 'more user')}; the whole list is in ${file.name}`;
      emit(note('undo:list', text));
    },
  };
}
