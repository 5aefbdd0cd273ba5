/** Leaves verified addresses that arrived unverified as they are after a bulk import, or sets them to verified. */
import { note } from '../../events.ts';
import { formatCounted } from '../../lib/format.ts';
import type { Note } from '../../records/user.ts';
import { readUser } from '../reconcile/find-users.ts';
import type { ImportEntry } from './entries.ts';
import type { ImportRun } from './run.ts';

/** Finishes a user that the run has created. A resumed run sets all addresses again, which changes nothing. */
export async function finishEmail(run: ImportRun, { orgId, user }: ImportEntry): Promise<readonly Note[]> {
  if (user?.losesVerification !== true) return [];
  if (run.emailAfter === 'leave') {
    run.unverified += 1;
    return [];
  }
  const { client } = run;
  const { id, userName, email } = user;
  const known = id === '' ? await readUser(client, orgId, { id, userName }) : { id };
  const ended =
    known &&
    (await client.attempt({
      method: 'PUT',
      path: `/v2/users/human/${encodeURIComponent(known.id)}`,
      org: orgId,
      body: { email: { email, isVerified: true } },
    }));
  if (ended?.ok === true) return [];
  if (ended !== undefined && ended.error.verdict !== 'refused') throw ended.error;
  const detail = ended === undefined ? 'the user was not found by the user name' : ended.error.text;
  return [{ code: 'import:email-unverified', detail }];
}

export function reportUnverified({ unverified: count, emit }: ImportRun) {
  if (count === 0) return;
  const one = count === 1;
  const text =
    `${formatCounted(count, 'user')} with a verified email address ${one ? 'has' : 'have'} no password: the service keeps the ` +
    `${one ? 'address' : 'addresses'} unverified until the user answers its initialization email. --email-after=verified sets ` +
    `${one ? 'it' : 'them'} to verified.`;
  emit(note('email:unverified', text));
}
