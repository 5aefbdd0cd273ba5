/** After a bulk import: verified addresses that arrived unverified are left so, or set to verified. */
import { State } from '../../journal/states.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { readUser } from '../reconcile/find-users.ts';
import { leftUnverified, verifyEmailCall, type EmailAfter } from '../reconcile/verified-email.ts';
import type { Entry } from '../../targets/bulk/entry.ts';
import { isEntry, planEntries, type ImportSource } from './entries.ts';
import { end, type ImportRun } from './run.ts';

const atOnce = 8;

/** Of users that the run created. A resumed run sets all of them again, which changes nothing. */
export async function finishEmails(run: ImportRun, source: ImportSource, after: EmailAfter): Promise<void> {
  if (run.unverified === 0) return;
  let left = 0;
  const work = async (entry: Entry): Promise<void> => {
    if (after === 'verified') await setVerified(run, entry);
    else left += 1;
  };
  await forEachConcurrent(createdUnverified(run, source), atOnce, work, () => run.signal.aborted);
  run.signal.throwIfAborted();
  if (left > 0) run.emit(leftUnverified(left));
}

async function* createdUnverified(run: ImportRun, source: ImportSource): AsyncGenerator<Entry> {
  for await (const planned of planEntries(source, ['humanUsers'])) {
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
  const ended = known && (await client.attempt(verifyEmailCall(orgId, known.id, email)));
  if (ended?.ok === true) return;
  if (ended !== undefined && ended.error.verdict !== 'refused') throw ended.error;
  const detail = ended === undefined ? 'the user was not found by the user name' : ended.error.text;
  end(run, entry, { outcome: 'noted', code: 'import:email-unverified', detail });
}
