/** Counts the result of a user or another entry of an import, emits it, and writes it to the report and the rejects file. */
import type { Emit } from '../../events.ts';
import { countMessages, type Messages } from '../../records/messages.ts';
import { type ReasonCode, reasons } from '../../records/reasons.ts';
import type { SignInKind } from '../../records/sign-in.ts';
import { codesOf, count, countWritten, entryTally, type Tally, type Traits } from '../../records/tally.ts';
import type { Note } from '../../records/user.ts';
import type { ReportEntry } from './contents.ts';
import type { RunOutputs } from './run-outputs.ts';

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
