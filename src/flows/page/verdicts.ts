/** Judges a cutover before any figures: whether users can be switched over, and what each step has shown. */
import { formatCount, formatCounted } from '../../lib/format.ts';
import { incompleteNotices } from '../../records/notices.ts';
import { outcomeRows, verifyOutcomes } from '../../records/outcomes.ts';
import { nameOfList } from '../../records/sections.ts';
import { countAtFirstLogin, signInLines } from '../../records/sign-in.ts';
import type { Cutover } from './join.ts';
import { addsUp } from './parts.ts';
import { signInOf } from './sections.ts';

export interface Verdict {
  readonly isGood: boolean;
  readonly text: string;
  /** Only one thing is missing: no report shows that `idport jit` runs. */
  readonly needsJit?: boolean;
}

const verdict = (isGood: boolean, text: string): Verdict => ({ isGood, text });

/** Kinds of users who should be able to sign in, but cannot. */
const blocked = new Set([
  'answer-email',
  'several-links',
  'set-password',
  'locked-out',
  'refused-hash',
  'only-bulk',
  'missing',
]);

/** Reason codes of blocked users in the list. */
export const blockingReasons = [
  ...[...blocked].map((kind) => `sign-in:${kind}`),
  ...verifyOutcomes.filter(({ name }) => name === 'missing' || name === 'blocked').map(({ text }) => text),
];

/** Notices of a test login on the finished body. */
const proofs = new Set(['password:proved', 'password:not-proved']);

/** Returns a verdict on each step and each proof. */
export function verdictsOf({ parts, last, reports, warnings }: Cutover, isJoined: boolean): Verdict[] {
  const verdicts: Verdict[] = [];
  const say = (isGood: boolean, text: string) => void verdicts.push({ isGood, text });
  const signIn = signInOf(reports);
  if (signIn !== undefined && signIn.length > 0) {
    const blockedUsers = reports.verify?.summary.blocked ?? 0;
    const isGood = blockedUsers === 0 && signIn.every(({ kind, count }) => count === 0 || !blocked.has(kind));
    const needsJit = countAtFirstLogin(signIn) > 0;
    const text = `${signInLines(signIn).join('; ')}.${needsJit ? ' Whether idport jit runs was not checked.' : ''}`;
    verdicts.push({ isGood: isGood && !needsJit, text, needsJit: isGood && needsJit });
  }
  for (const [step, { verb, sum, stopped }] of last) {
    if (stopped !== undefined) say(false, `${verb} stopped before its end: ${stopped}`);
    // A check describes an import with import-users. After an import, with either verb, the import's own counts are used.
    if (sum === undefined || (step === 'check' && last.has('import'))) continue;
    const { read, written, rejected, skipped } = sum;
    const text = `${verb}: ${formatCounted(read, 'user')} read = ${formatCount(written)} written + ${formatCount(rejected)} rejected + ${formatCount(skipped)} skipped.`;
    say(addsUp(sum) && rejected === 0 && read > 0, addsUp(sum) ? text : `${text} The counts do not add up.`);
  }
  const judged = reports.import ?? reports.check;
  for (const { code, text } of judged?.notices ?? []) if (incompleteNotices.has(code)) say(false, text);
  const refused = (judged?.summary.others ?? []).flatMap(({ list, rejected }) =>
    rejected === 0 ? [] : `${formatCount(rejected)} ${nameOfList(list, rejected)}`,
  );
  if (refused.length > 0) say(false, `rejected besides users: ${refused.join(', ')}.`);
  for (const { code, text } of reports.migrate?.notices ?? []) {
    if (proofs.has(code)) say(code === 'password:proved', `migrate --prove: ${text}.`);
  }
  const undone = reports.undo;
  const verified = reports.verify;
  if (verified !== undefined) {
    const { same, blocked: blockedUsers, missing, differs, unknown } = verified.summary;
    const found = outcomeRows(verifyOutcomes, verified.summary);
    const isUndone = undone?.dryRun === false && undone.startedAt > verified.startedAt;
    const text = `verify${isUndone ? ', before the rollback' : ''}: ${found.map(({ count = 0, text }) => `${formatCount(count)} ${text}`).join(', ')}.`;
    const compared = same + blockedUsers + missing + differs + unknown;
    // `verify` may not compare service accounts.
    const { written = 0, withNotes = 0, machines = 0 } = reports.import?.summary ?? {};
    const created = written + withNotes - machines;
    say(compared > 0 && compared === same, text);
    if (compared < created) {
      const fewer = `verify has compared ${formatCounted(compared, 'user')}, and the import has created ${formatCount(created)}. Give it all bodies: idport verify first.json second.json.`;
      say(false, fewer);
    }
    const failed = verified.logins.filter(({ succeeded }) => !succeeded).length;
    const tried = verified.logins.length;
    if (tried > 0) {
      const logins = `logins: ${formatCount(tried - failed)} of ${formatCounted(tried, 'test user')} signed in.`;
      say(failed === 0, logins);
    }
  } else if (isJoined) {
    const when = parts.some(({ step }) => step === 'verify') ? ' after the last import' : '';
    say(false, `verify: not run${when}. Nothing here shows what is at the target.`);
  }
  if (undone !== undefined) {
    const { deleted, gone, created } = undone.summary;
    const before = gone === 0 ? '' : `, ${formatCount(gone)} no longer existed`;
    const text = undone.dryRun
      ? 'a dry run, nothing was deleted.'
      : `${formatCount(deleted)} of ${formatCounted(created, 'user')} deleted${before}.`;
    say(undone.dryRun || deleted + gone === created, `undo: ${text}`);
  }
  for (const text of warnings) say(false, text);
  return verdicts;
}

/** Returns the first line. Users who cannot sign in come before everything else, including those that the conversion rejected. */
export function headline({ last, reports }: Cutover, verdicts: readonly Verdict[]): Verdict {
  const undone = reports.undo;
  if (undone?.dryRun === false) {
    const { deleted, gone, created } = undone.summary;
    const stay = Math.max(0, created - deleted - gone);
    const end = undone.stopped === undefined ? 'Rolled back' : 'Rollback stopped';
    return verdict(false, stay === 0 ? end : `${end}: ${formatCounted(stay, 'user')} stayed`);
  }
  const counts = signInOf(reports) ?? [];
  const sum = (isOne: (kind: string) => boolean) =>
    counts.reduce((total, { kind, count }) => total + (isOne(kind) ? count : 0), 0);
  // A comparison counts users in the initial state as well as locked and deactivated ones.
  const found = reports.verify?.summary.blocked;
  const waiting = (kind: string) => kind === 'answer-email';
  const rejected = last.get('migrate')?.sum?.rejected ?? 0;
  const blockedUsers =
    rejected + sum((kind) => blocked.has(kind) && !waiting(kind)) + (found ?? sum(waiting));
  const all = formatCounted(rejected + sum(() => true), 'user');
  const atFirstLogin = formatCount(countAtFirstLogin(counts));
  if (blockedUsers > 0) {
    const more = atFirstLogin === '0' ? '' : `, and ${atFirstLogin} only while idport jit runs`;
    return verdict(
      false,
      `Not ready: ${formatCount(blockedUsers)} of ${all} cannot sign in on day one${more}`,
    );
  }
  const open = verdicts.find(({ isGood, needsJit = false }) => !isGood && !needsJit);
  if (open !== undefined) return verdict(false, `Not ready: ${open.text}`);
  if (atFirstLogin === '0') return verdict(true, 'Ready to switch');
  return verdict(
    false,
    `Ready if idport jit runs, which was not checked: ${atFirstLogin} of ${all} sign in only through it`,
  );
}
