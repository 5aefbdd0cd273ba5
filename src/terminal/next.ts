/** How a run ended in, what to do next out. */
import { formatCounted } from '../lib/quantity.ts';
import { mergeSettings } from '../records/merge-settings.ts';
import type { Summary } from '../records/summary.ts';
import type { WrittenFile } from './run-state.ts';

/** At most a few sentences, the most urgent first; empty where nothing is left to do. */
export function nextSteps(
  verb: string,
  summary: Summary,
  files: readonly WrittenFile[],
  profile: string | undefined,
): string[] {
  if (verb === 'import-users') return [...mendRefused(summary, files), ...proveArrival(summary)];
  if (!verb.startsWith('migrate')) return [];
  return [
    ...mendRejected(summary, files),
    ...openRefusals(summary),
    ...nameProfile(summary, profile),
    ...mendMails(summary),
    ...askService(summary, files),
  ];
}

function askService({ written, withNotes }: Summary, files: readonly WrittenFile[]): string[] {
  const body = files.find(({ what, path }) => what === 'body' && path !== '-');
  if (body === undefined || written + withNotes === 0) return [];
  return [
    `Ask the service before anything is sent: idport check ${body.path} --url=<its address>, with a token.`,
  ];
}

function mendRefused({ rejected }: Summary, files: readonly WrittenFile[]): string[] {
  if (rejected === 0) return [];
  const rejects = files.find(({ what }) => what === 'rejects');
  if (rejects) return [`Mend the records in ${rejects.path} and import that file.`];
  return [
    'The same command with --resume --rejects <file> writes the rejected records to a file to be mended.',
  ];
}

function proveArrival({ written, withNotes }: Summary): string[] {
  if (written + withNotes === 0) return [];
  return ['idport verify compares everybody with the source; idport undo takes this run back.'];
}

/** A target as it is installed verifies bcrypt alone; whoever named no profile may not know. */
function nameProfile(summary: Summary, profile: string | undefined): string[] {
  if (profile !== 'all-verifiers') return [];
  if (summary.passwords.every(({ family }) => family === 'bcrypt' || family === 'none')) return [];
  return [
    'These hashes were judged for a target with every verifier on, which a target is not by default: ' +
      'idport check with --target-profile self-hosted (or hosted) says what yours would refuse.',
  ];
}

function mendRejected(summary: Summary, files: readonly WrittenFile[]): string[] {
  if (summary.rejected === 0) return [];
  const rejects = files.find(({ what }) => what === 'rejects');
  if (rejects) return [`Mend the records in ${rejects.path} and convert that file like the first one.`];
  return ['Run again with --rejects <file> to get the rejected records in a file that can be mended.'];
}

function openRefusals(summary: Summary): string[] {
  const settings = ['password:parameters-out-of-limits', 'password:verifier-disabled'];
  if (!summary.refusals.some(({ code }) => settings.includes(code))) return [];
  const lines = mergeSettings(summary.refusals.map(({ remedy }) => remedy));
  const again = 'then convert again with --on-refused-hash keep';
  if (lines.length === 0) return [`Change the settings named above in the target, ${again}.`];
  return [`Set these in the target, ${again}: ${lines.join(' ')}`];
}

function mendMails(summary: Summary): string[] {
  const mails = summary.mails.reduce((sum, { count }) => sum + count, 0);
  if (mails === 0) return [];
  return [`Expect ${formatCounted(mails, 'mail')} at the import; the people should know beforehand.`];
}
