/** A record in, a short text out that is another one when anything of the record is: what changed since the last run. */
import { hash, randomBytes } from 'node:crypto';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { findJournal, type JournalPlace } from '../open-journal.ts';
import { encodeImportRecord, encodeMachineUser, encodeMetadata } from '../../targets/human-user.ts';

/** The key stays the same over all runs that are compared with each other; it goes into the journal of each. */
export async function chooseFingerprintKey(
  earlier: { readonly key: string } | undefined,
  { path, resume }: JournalPlace,
): Promise<string> {
  if (earlier !== undefined) return earlier.key;
  const before = await findJournal(path);
  const known = resume || before?.finished === false ? before?.header.settings['fingerprints'] : undefined;
  return known ?? randomBytes(16).toString('base64url');
}

/**
 * A password in plain text is left out, for whoever has the journal could try passwords against it; hashes have a salt
 * that nobody can guess.
 */
export function fingerprintOf(key: string, record: UserRecord | MachineRecord): string {
  return fingerprintText(key, textOf(record));
}

/** As the record is written: what a target is never told cannot have changed there. */
function textOf(record: UserRecord | MachineRecord): string {
  const metadata = encodeMetadata(record);
  if (record.kind === 'machine') return `${encodeMachineUser(record)}${metadata}`;
  const plain = record.plainPassword === '' ? '' : 'plain';
  return `${JSON.stringify([record.id, record.state, plain])}${encodeImportRecord(record)}${metadata}`;
}

/** 66 bits. The text must hold nothing that could be guessed. */
export function fingerprintText(key: string, text: string): string {
  return hash('sha256', `${key}\n${text}`, 'base64url').slice(0, 11);
}
