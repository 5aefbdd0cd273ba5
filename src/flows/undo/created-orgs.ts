/** The organizations that a run created: deleted where they are empty once its users are. */
import { note, warning } from '../../events.ts';
import { search } from '../../api/search.ts';
import type { Client } from '../../api/client.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { formatCounted } from '../../lib/quantity.ts';
import type { LoadedJournal } from '../../journal/load.ts';
import { listEventsResponse, type ListEventsInput } from '../../wire/event.ts';
import { findOrg } from '../preflight/check-orgs.ts';
import { findUser, readUser } from '../reconcile/find-users.ts';
import { pauseForList, waitForList, type ListContext } from '../reconcile/list-lag.ts';
import { WriteTimes } from '../reconcile/write-times.ts';
import { readRunEnd } from './created-users.ts';

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
  const { creates = [], startedAt } = journal.header;
  if (creates.length === 0) return [];
  const { lastCreation } = await readRunEnd(path);
  const latest = new WriteTimes(journal).latest(Math.max(lastCreation, startedAt));
  const found: CreatedOrg[] = [];
  await forEachConcurrent(creates, { now: atOnce }, async (id) => {
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
  await forEachConcurrent(orgs, { now: atOnce }, removeOne, () => context.signal.aborted);
  if (counts.deleted > 0) {
    const text = `${formatCounted(counts.deleted, 'organization')} deleted, which the run created.`;
    context.emit(note('undo:organizations', text));
  }
  return counts;
}

const listIsBehind = 'the list of the service is behind, so it may have users; run the same command again';
const pause = 2000;

/** Undefined where it has no users. */
async function whyNotEmpty(context: ListContext, org: string): Promise<string | undefined> {
  const { client, wait } = context;
  const last = await readLastEvent(client, org);
  if (last === undefined) return 'the token may not read events, so it may have users that no list shows yet';
  if (!(await waitForList(context, last))) return listIsBehind;
  for (;;) {
    const listed = await findUser(client, org);
    if (listed === undefined) return undefined;
    const user = await readUser(client, org, { id: listed.id, userName: '' });
    if (user !== undefined) return `it has users, among them ${user.id} ${user.userName}`;
    // The list still shows a user who is gone.
    if (wait.left <= 0) return listIsBehind;
    await pauseForList(context, pause);
  }
}

/** All that put users into the list, or take them from it. */
const eventTypes = [
  'user.added',
  'user.selfregistered',
  'user.human.added',
  'user.human.selfregistered',
  'user.machine.added',
  'user.removed',
];

/** When a user of it was last created or deleted; -Infinity for never, undefined where the token may not read it. */
async function readLastEvent(client: Client, org: string): Promise<number | undefined> {
  const body: ListEventsInput = { resourceOwner: org, eventTypes, limit: 1 };
  const path = '/admin/v1/events/_search';
  const end = await client.attempt(search(path, body, listEventsResponse));
  if (!end.ok && end.error.verdict === 'refused') return undefined;
  if (!end.ok) throw end.error;
  const [event] = end.value.events;
  return event === undefined ? -Infinity : Date.parse(event.creationDate);
}

/** Undefined where it is gone, else why it could not be deleted. */
async function remove(client: Client, org: string): Promise<string | undefined> {
  const end = await client.attempt({ method: 'DELETE', path: '/management/v1/orgs/me', org, repeat: 'safe' });
  if (end.ok) return undefined;
  if (end.error.verdict !== 'refused') throw end.error;
  return (await findOrg(client, org)) === undefined ? undefined : end.error.text;
}
