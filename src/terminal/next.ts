/** Says what to do after a run. */
import { formatCount, formatCounted } from '../lib/quantity.ts';
import { loginPagesHint } from '../records/placeholder-password.ts';
import { emailsAtFirstLogin } from '../records/sign-in.ts';
import { mergeSettings, type Summary } from '../records/summary.ts';
import type { WrittenFile } from './run-state.ts';

export interface EndedRun {
  readonly verb: string;
  readonly summary: Summary;
  readonly files: readonly WrittenFile[];
  /** That the run was given: no advice names them. */
  readonly flags: readonly string[];
  readonly profile: string | undefined;
}

/** At most a few sentences, the most urgent first; empty where nothing is left to do. */
export function nextSteps(run: EndedRun): string[] {
  const { verb, summary, files } = run;
  const later = emailsAtFirstLogin(summary.signIn);
  if (verb === 'import-users') return [...fixRefused(summary, files), ...later, ...proveArrival(summary)];
  if (verb === 'check') return [...openRefusals(run), ...later];
  if (!verb.startsWith('migrate')) return [];
  return [
    ...fixRejected(summary, files),
    ...openRefusals(run),
    ...offerJit(run),
    ...later,
    ...expectMessages(summary, files),
    ...askService(run),
  ];
}

function askService({ summary, flags, files }: EndedRun): string[] {
  const { written, withNotes } = summary;
  const body = files.find(({ what, path }) => what === 'body' && path !== '-');
  if (body === undefined || written + withNotes === 0) return [];
  const jit = flags.includes('--jit-list') ? ' --jit' : '';
  const route = summary.emails.length + summary.sms > 0 ? ' --route=import' : '';
  return [
    `Preflight at your service: idport check ${body.path}${jit}${route}, with --url and a token if none are set.`,
  ];
}

function fixRefused({ rejected }: Summary, files: readonly WrittenFile[]): string[] {
  if (rejected === 0) return [];
  const rejects = files.find(({ what }) => what === 'rejects');
  if (rejects) return [`Fix the records in ${rejects.path} and import that file.`];
  return [
    'Run again with --resume --rejects <file> to write the rejected records to a file, and fix them there.',
  ];
}

function proveArrival({ written, withNotes }: Summary): string[] {
  if (written + withNotes === 0) return [];
  return ['idport verify compares every user with the source; idport undo rolls this import back.'];
}

function fixRejected(summary: Summary, files: readonly WrittenFile[]): string[] {
  if (summary.rejected === 0) return [];
  const rejects = files.find(({ what }) => what === 'rejects');
  if (rejects) return [`Fix the records in ${rejects.path} and convert that file like the first one.`];
  return ['Run again with --rejects <file> to write the rejected records to a file, and fix them there.'];
}

/** `check` writes nothing that could be converted again. */
function openRefusals({ verb, summary, flags }: EndedRun): string[] {
  const settings = ['password:parameters-out-of-limits', 'password:verifier-disabled'];
  if (!summary.refusals.some(({ code }) => settings.includes(code))) return [];
  const lines = mergeSettings(summary.refusals.map(({ remedy }) => remedy));
  const isDone = verb === 'check' || keepsHashes(flags);
  const again = isDone ? 'so that it takes these hashes' : 'then convert again with --on-refused-hash keep';
  if (lines.length === 0) return [`Change the settings above in the target, ${again}.`];
  return [`Set these in the target, ${again}: ${lines.join(' ')}`];
}

const offered: ReadonlySet<string> = new Set(['set-password', 'answer-email', 'first-login', 'old-system']);

/** Where hashes are refused and left out, or where the source has given none. */
function offerJit({ summary, flags }: EndedRun): string[] {
  const isOffered = summary.signIn.some(({ kind }) => offered.has(kind));
  const gaveNone = summary.passwords.every(({ algorithm }) => algorithm === 'none');
  const hasList = flags.includes('--jit-list');
  const isRefused = summary.refusals.length > 0 && (hasList || !keepsHashes(flags));
  if (!isOffered || !(isRefused || gaveNone)) return [];
  const hint = hasList ? '' : ` ${loginPagesHint}`;
  const again = gaveNone || hasList ? '' : 'convert again with --jit-list jit.ndjson, ';
  return [
    `Login-time migration spares users a new password: ${again}import with import-users --jit, and idport jit checks the old password at the first login.${hint}`,
  ];
}

/** Without a named profile, hashes that the target refuses are kept. */
function keepsHashes(flags: readonly string[]): boolean {
  return flags.includes('--on-refused-hash') || !flags.includes('--target-profile');
}

function expectMessages(summary: Summary, files: readonly WrittenFile[]): string[] {
  const emails = summary.emails.reduce((sum, { count }) => sum + count, 0);
  const parts = [
    ...(emails === 0 ? [] : [formatCounted(emails, 'email')]),
    ...(summary.sms === 0 ? [] : [`${formatCount(summary.sms)} SMS`]),
  ];
  if (parts.length === 0) return [];
  const list = files.find(({ what }) => what === 'mail list')?.path ?? '--mail-list <file>';
  return [
    `In bulk (idport import), the service will send ${parts.join(' and ')}: ${list} says to whom. idport import-users sends none.`,
  ];
}
