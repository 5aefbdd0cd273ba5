/** The organizations that a run created: deleted where they are empty once its users are. */
import { note, warning } from '../../events.ts';
import type { Client } from '../../api/client.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { formatCounted } from '../../lib/quantity.ts';
import type { LoadedJournal } from '../../journal/load.ts';
import { findOrg } from '../preflight/check-orgs.ts';
import { listLoggedUsers } from '../reconcile/event-log.ts';
import type { ListContext } from '../reconcile/list-lag.ts';
import { readRunRules } from './may-delete.ts';

export interface CreatedOrg {
  readonly id: string;
  readonly name: string;
}

const atOnce = 8;

/** Those that are still there. One that was created after the run is not of it. */
export async function findCreatedOrgs(
  client: Client,
  path: string,
  journal: Pick<LoadedJournal, 'header' | 'writes'>,
): Promise<CreatedOrg[]> {
  const { creates = [] } = journal.header;
  if (creates.length === 0) return [];
  const { latest } = await readRunRules(path, journal);
  const found: CreatedOrg[] = [];
  await forEachConcurrent(creates, atOnce, async (id) => {
    const org = await findOrg(client, id);
    if (org !== undefined && org.createdAt <= latest) found.push({ id, name: org.name });
  });
  return found;
}

/** Says which stay and why, and returns how many do. */
export async function removeEmptyOrgs(
  context: ListContext,
  orgs: readonly CreatedOrg[],
): Promise<{ readonly deleted: number; readonly kept: number }> {
  const counts = { deleted: 0, kept: 0 };
  const removeOne = async (org: CreatedOrg): Promise<void> => {
    const why = (await whyNotEmpty(context, org.id)) ?? (await remove(context.client, org.id));
    if (why === undefined) {
      counts.deleted += 1;
      return;
    }
    counts.kept += 1;
    const text = `Organization ${org.id} ${org.name} stays: ${why}.`;
    context.emit(warning('undo:organization', text));
  };
  await forEachConcurrent(orgs, atOnce, removeOne, () => context.signal.aborted);
  if (counts.deleted > 0) {
    const text = `${formatCounted(counts.deleted, 'organization')} deleted, which the run created.`;
    context.emit(note('undo:organizations', text));
  }
  return counts;
}

/** Undefined where it has no users. By the log, because the list of users lags, and loses users. */
async function whyNotEmpty({ client }: ListContext, org: string): Promise<string | undefined> {
  const users = await listLoggedUsers(client, org);
  if (users === undefined) return 'the token may not read events, so it may have users that no list shows';
  const [first] = users;
  return first && `it has users, among them ${first.join(' ')}`;
}

/** Undefined where it is gone, else why it could not be deleted. */
async function remove(client: Client, org: string): Promise<string | undefined> {
  const end = await client.attempt({ method: 'DELETE', path: '/management/v1/orgs/me', org, repeat: 'safe' });
  if (end.ok) return undefined;
  if (end.error.verdict !== 'refused') throw end.error;
  return (await findOrg(client, org)) === undefined ? undefined : end.error.text;
}
