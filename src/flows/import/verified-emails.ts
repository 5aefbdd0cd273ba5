/** After a bulk import: verified addresses that arrived unverified are left so, or set to verified. */
import { State } from '../../journal/load.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { readUser } from '../reconcile/find-users.ts';
import { note } from '../../events.ts';
import { formatCounted } from '../../lib/quantity.ts';
import type { Entry } from '../../targets/bulk/entry.ts';
import { isEntry, planEntries } from './entries.ts';
import { end, type ImportRun } from './run.ts';

const atOnce = 8;

/** Of users that the run created. A resumed run sets all of them again, which changes nothing. */
export async function finishEmails(run: ImportRun, after: 'leave' | 'verified'): Promise<void> {
  if (run.unverified === 0) return;
  let left = 0;
  const work = async (entry: Entry): Promise<void> => {
    if (after === 'verified') await setVerified(run, entry);
    else left += 1;
  };
  await forEachConcurrent(createdUnverified(run), atOnce, work, () => run.signal.aborted);
  run.signal.throwIfAborted();
  if (left > 0) run.emit(note('email:unverified', describeLeft(left)));
}

async function* createdUnverified(run: ImportRun): AsyncGenerator<Entry> {
  for await (const planned of planEntries(run.source, ['humanUsers'])) {
    if (run.journal.states.get(planned.number) !== State.created) continue;
    const entry = planned.read();
    if (isEntry(entry) && entry.user?.losesVerification === true) yield entry;
  }
}

async function setVerified(run: ImportRun, entry: Entry): Promise<void> {
  const { client } = run;
  const { orgId, user } = entry;
  const { id, userName, email } = user!;
  const known = id === '' ? await readUser(client, orgId, { id, userName }) : { id };
  const body = { email: { email, isVerified: true } };
  const ended =
    known &&
    (await client.attempt({
      method: 'PUT',
      path: `/v2/users/human/${encodeURIComponent(known.id)}`,
      org: orgId,
      body,
    }));
  if (ended?.ok === true) return;
  if (ended !== undefined && ended.error.verdict !== 'refused') throw ended.error;
  const detail = ended === undefined ? 'the user was not found by the user name' : ended.error.text;
  end(run, entry, { outcome: 'noted', code: 'import:email-unverified', detail });
}

function describeLeft(count: number): string {
  const one = count === 1;
  return (
    `${formatCounted(count, 'user')} with a verified email address ${one ? 'has' : 'have'} no password: the service keeps the ` +
    `${one ? 'address' : 'addresses'} unverified until the user answers its initialization email. --email-after verified sets ` +
    `${one ? 'it' : 'them'} to verified.`
  );
}
