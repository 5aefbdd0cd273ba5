/** Says what to do after a run. */
import { formatCounted } from '../lib/quantity.ts';
import { mergeSettings, type Summary } from '../records/summary.ts';
import type { WrittenFile } from './run-state.ts';

/** At most a few sentences, the most urgent first; empty where nothing is left to do. */
export function nextSteps(
  verb: string,
  summary: Summary,
  files: readonly WrittenFile[],
  profile: string | undefined,
): string[] {
  if (verb === 'import-users') return [...fixRefused(summary, files), ...proveArrival(summary)];
  if (!verb.startsWith('migrate')) return [];
  return [
    ...fixRejected(summary, files),
    ...openRefusals(summary),
    ...nameProfile(summary, profile),
    ...expectEmails(summary),
    ...askService(summary, files),
  ];
}

function askService({ written, withNotes }: Summary, files: readonly WrittenFile[]): string[] {
  const body = files.find(({ what, path }) => what === 'body' && path !== '-');
  if (body === undefined || written + withNotes === 0) return [];
  return [`Preflight at your service: idport check ${body.path} --url=<address>, with a token.`];
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

/** A fresh installation verifies bcrypt only. */
function nameProfile(summary: Summary, profile: string | undefined): string[] {
  if (profile !== 'all-verifiers') return [];
  if (summary.passwords.every(({ family }) => family === 'bcrypt' || family === 'none')) return [];
  return [
    'Without --target-profile, every hash algorithm counts as enabled, which is not the default of a service: ' +
      'idport check with --target-profile self-hosted (or hosted) says which hashes yours would refuse.',
  ];
}

function fixRejected(summary: Summary, files: readonly WrittenFile[]): string[] {
  if (summary.rejected === 0) return [];
  const rejects = files.find(({ what }) => what === 'rejects');
  if (rejects) return [`Fix the records in ${rejects.path} and convert that file like the first one.`];
  return ['Run again with --rejects <file> to write the rejected records to a file, and fix them there.'];
}

function openRefusals(summary: Summary): string[] {
  const settings = ['password:parameters-out-of-limits', 'password:verifier-disabled'];
  if (!summary.refusals.some(({ code }) => settings.includes(code))) return [];
  const lines = mergeSettings(summary.refusals.map(({ remedy }) => remedy));
  const again = 'then convert again with --on-refused-hash keep';
  if (lines.length === 0) return [`Change the settings above in the target, ${again}.`];
  return [`Set these in the target, ${again}: ${lines.join(' ')}`];
}

function expectEmails(summary: Summary): string[] {
  const emails = summary.mails.reduce((sum, { count }) => sum + count, 0);
  if (emails === 0) return [];
  return [`The import will send ${formatCounted(emails, 'email')}: tell these users beforehand.`];
}
