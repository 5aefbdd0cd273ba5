/** What an import sends a user: who is created may have to verify an address, who is changed may have a new password. */
import { messagesOf, type Messages } from '../../records/messages.ts';
import type { UserRecord } from '../../records/user.ts';
import type { Fingerprints } from '../incremental/fingerprint.ts';
import type { PreviousState } from '../incremental/previous-table.ts';
import { orgOf, type UsersRun } from './run.ts';

export interface DueContext extends Pick<UsersRun, 'org' | 'route' | 'passwordEmails'> {
  readonly fingerprints: Pick<Fingerprints, 'key'>;
}

export async function dueMessages(
  run: DueContext,
  record: UserRecord,
  before: PreviousState | undefined,
): Promise<Messages> {
  if (before === undefined) return messagesOf(record, run.route);
  const change = { before, key: run.fingerprints.key, org: orgOf(run, record) };
  const isDue = await run.passwordEmails.isDue(record, change);
  return { email: isDue ? 'password-changed' : 'none', sms: false };
}
