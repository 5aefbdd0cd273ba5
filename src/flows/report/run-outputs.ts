/** Counts each result of a run and emits it, and writes it to the report and the rejects file. */
import { IdportError, isOfOtherRun } from '../../errors.ts';
import { type Emit, note, shownNotice, commit, warning } from '../../events.ts';
import { formatCounted } from '../../lib/format.ts';
import type { Sink } from '../../lib/sink.ts';
import { loginPagesHint } from '../../records/placeholder-password.ts';
import { encodeRejected, type Note, type Origin } from '../../records/user.ts';
import { incompleteNotices } from '../../records/notices.ts';
import { type Reason, type ReasonCode, reasons } from '../../records/reasons.ts';
import type { Notice } from '../../notice.ts';
import { type Tally, codesOf, count, countWritten, entryTally, type Traits } from '../../records/tally.ts';
import type { ReportEnd, ReportEntry, ReportedRun } from './contents.ts';
import type { RunReport } from './open-report.ts';
import { countMessages, type Messages } from '../../records/messages.ts';
import type { SignInKind } from '../../records/sign-in.ts';

interface RunOutputsOptions {
  readonly report: RunReport<ReportedRun, ReportEntry, ReportEnd> | undefined;
  readonly rejects: Sink | undefined;
  /** List of `--jit-list`. */
  readonly firstLogins?: { readonly sink: Sink; readonly hasPlaceholders: boolean } | undefined;
}

export type RunOutputs = ReturnType<typeof createRunOutputs>;

export function createRunOutputs({ report, rejects, firstLogins }: RunOutputsOptions) {
  const notices: Notice[] = [];
  /** Beginning of the rejects file. Undefined if its records are lines. */
  let bodyStart: string | undefined;
  let listed = 0;
  let rejected = 0;
  return {
    /**
     * `body` is the member of a body that has its organizations. If set, the rejects file is a body, too, and can be imported.
     */
    async begin(run: ReportedRun, body?: 'dataOrgs' | 'dataOrgsv1') {
      if (body !== undefined) bodyStart = `{"${body}":{"orgs":[\n`;
      await report?.begin(run);
    },
    async note(entry: ReportEntry) {
      await report?.add(entry);
    },
    /** Adds a written record to the report if there is something to say. */
    async written({ signIn, ...entry }: Omit<ReportEntry, 'outcome'>) {
      const isNoted = entry.reasons.length > 0;
      const other = signIn === 'password' ? undefined : signIn;
      if (!isNoted && other === undefined) return;
      const outcome = isNoted ? 'noted' : 'written';
      await report?.add({ ...entry, outcome, signIn: other });
    },
    /** Adds a notice about the inputs as a whole. Without `emit`, it was already shown. */
    notify(notice: Notice, emit?: Emit) {
      notices.push(notice);
      emit?.(shownNotice(notice));
    },
    /** Reports whether nothing was left out except counted records. */
    isComplete: () => !notices.some(({ code }) => incompleteNotices.has(code)),
    /** `raw` returns the record of the source, which goes to the rejects file and nowhere else. */
    async reject(origin: Origin, code: ReasonCode, detail: string, raw: () => unknown) {
      if (rejects === undefined) return;
      const record = encodeRejected({ origin, code, detail }, raw());
      const isFirst = rejected++ === 0;
      await rejects.write(
        bodyStart === undefined ? `${record}\n` : `${isFirst ? bodyStart : ',\n'}${record}`,
      );
    },
    /** `line` is a whole line of the list. */
    async listForFirstLogin(line: string) {
      listed++;
      await firstLogins?.sink.write(line);
    },
    /** Completes all files and returns their names. */
    async end(
      tally: Tally,
      seconds: number,
      emit: Emit,
      { stopped, forecast }: Pick<ReportEnd, 'stopped' | 'forecast'> = {},
    ) {
      for (const warning of warningsOf(tally)) this.notify(warning, emit);
      if (bodyStart !== undefined) await rejects?.write(`${rejected === 0 ? bodyStart : ''}\n]}}\n`);
      if (rejects) await commit(rejects, 'rejects', emit);
      if (firstLogins) {
        await commit(firstLogins.sink, 'list', emit);
        emit(describeList(listed, firstLogins));
      }
      await report?.end({ tally, notices, seconds, stopped, forecast });
      return [report, rejects, firstLogins?.sink].flatMap((file) => file?.name ?? []);
    },
  };
}

/** Completes the files of a run that stopped before its end. The hint of its error then names them. */
export async function endStopped(
  { log, tally, emit }: { readonly log: RunOutputs; readonly tally: Tally; readonly emit: Emit },
  error: unknown,
  seconds: number,
) {
  const isKnown = error instanceof IdportError;
  if (isKnown && isOfOtherRun(error)) return;
  const stopped = isKnown ? error.message : 'an unexpected error';
  // The error of the run matters more than an error of its report.
  const files = await log.end(tally, seconds, emit, { stopped }).catch(() => []);
  if (!isKnown || files.length === 0) return;
  error.hint = `${error.hint ?? ''} What was done before that is in ${files.join(' and ')}.`.trimStart();
}

/** Returns one warning, with the number of users, for each code that may concern the whole export. */
function warningsOf(tally: Tally) {
  return Array.from(tally.reasons as ReadonlyMap<ReasonCode, number>).flatMap(([code, users]) => {
    const { warns = false, cause, remedy }: Reason = reasons[code];
    const text = `${formatCounted(users, 'user')}: ${cause} ${remedy}`;
    return warns ? [warning(code, text)] : [];
  });
}

function describeList(
  listed: number,
  { sink, hasPlaceholders }: NonNullable<RunOutputsOptions['firstLogins']>,
) {
  return note(
    'jit:listed',
    listed === 0
      ? `No user is in ${sink.name}: no old password has to be checked at the first login.`
      : `${formatCounted(listed, 'user')} in ${sink.name}: idport jit serve checks their old password at the first login, by its hash or at the old system. ` +
          'Import with idport import-users --jit.' +
          (hasPlaceholders ? '' : ` ${loginPagesHint}`),
  );
}

export interface ResultContext {
  readonly tally: Tally;
  readonly log: RunOutputs;
  readonly emit: Emit;
}

/** A record as reports name it. */
export interface Reported {
  readonly names: Pick<ReportEntry, 'origin' | 'userName' | 'email' | 'orgId'>;
  /** List of an entry that is not a user. */
  readonly list?: string | undefined;
  /** Returns the record for the rejects file, and for nothing else. */
  readonly raw: () => unknown;
}

interface WrittenUser {
  /** Traits, without what the notes count. */
  readonly traits: Omit<Traits, 'codes' | 'aliases'>;
  /** Both are undefined for service accounts. */
  readonly signIn: SignInKind | undefined;
  readonly messages: Messages | undefined;
  readonly notes: readonly Note[];
}

export async function tellWritten(
  { tally, log }: ResultContext,
  { names }: Reported,
  { traits, signIn, messages, notes }: WrittenUser,
) {
  tally.read += 1;
  countWritten(tally, { ...traits, ...codesOf(notes) });
  if (signIn !== undefined) count(tally.signIn, signIn);
  if (messages !== undefined) countMessages(tally, messages);
  await log.written({ ...names, signIn, reasons: notes });
}

/** Users outside the run's selection are only counted. */
const onlyCounted: ReadonlySet<ReasonCode> = new Set(['user-skipped:not-chosen', 'user-skipped:unchanged']);

export async function tellSkipped(
  { tally, log, emit }: ResultContext,
  { names }: Reported,
  code: ReasonCode,
  notes: readonly Note[] = [],
  detail = '',
) {
  tally.read += 1;
  tally.skipped += 1;
  for (const each of codesOf([{ code }, ...notes]).codes) count(tally.reasons, each);
  if (onlyCounted.has(code)) return;
  emit({ type: 'record:skipped', place: placeOf(names), code, detail });
  const why = detail === '' ? { code } : { code, detail };
  await log.note({ ...names, outcome: 'skipped', reasons: [why, ...notes] });
}

/** Counts a record as rejected, or as skipped if the code says that the run was to leave it out. */
export async function tellRejected(
  context: ResultContext,
  reported: Reported,
  code: ReasonCode,
  detail: string,
) {
  const { tally, log, emit } = context;
  const { names, list, raw } = reported;
  if (reasons[code].outcome === 'skipped') return tellSkipped(context, reported, code, [], detail);
  const counts = list === undefined ? tally : entryTally(tally, list);
  counts.read += 1;
  counts.rejected += 1;
  count(tally.reasons, code);
  emit({ type: 'record:rejected', place: placeOf(names), code, detail });
  await log.note({ ...names, outcome: 'rejected', reasons: [{ code, detail }] });
  await log.reject(names.origin, code, detail, raw);
}

/** Counts an existing user as a failure only if that was requested. */
export async function tellExisting(
  context: ResultContext & { readonly onExisting: 'skip' | 'fail' },
  reported: Reported,
) {
  if (context.onExisting === 'fail') await tellRejected(context, reported, 'import:exists', '');
  else await tellSkipped(context, reported, 'user-skipped:exists');
}

const placeOf = ({ origin, userName }: Reported['names']) =>
  userName === '' ? origin : { ...origin, userName };
