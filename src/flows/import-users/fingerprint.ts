/** A record in, a short text out that is another one when anything of the record is: what changed since the last run. */
import { hash, randomBytes } from 'node:crypto';
import type { MachineRecord, UserRecord } from '../../records/user.ts';

/** Of a run; goes into the journal, so that a later run can compare. */
export function newFingerprintKey(): string {
  return randomBytes(16).toString('base64url');
}

/**
 * 66 bits. A password in plain text is left out, for whoever has the journal could try passwords against it; hashes
 * have a salt that nobody can guess.
 */
export function fingerprintOf(key: string, record: UserRecord | MachineRecord): string {
  const { origin: _, notes: __, ...content } = record;
  const safe =
    'plainPassword' in content ? { ...content, plainPassword: content.plainPassword !== '' } : content;
  return hash('sha256', `${key}\n${JSON.stringify(safe)}`, 'base64url').slice(0, 11);
}
