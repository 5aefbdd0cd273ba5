/** Compares metadata and links that differ again once their lists have come to rest: each lags behind writes on its own. */
import { isRefusal } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { noticeEvent, type Emit } from '../../events.ts';
import { formatCounted } from '../../lib/quantity.ts';
import { readLoggedMetadata } from '../reconcile/event-log.ts';
import { readUser } from '../reconcile/find-users.ts';
import {
  readLastWritten,
  waitUntil,
  type ListContext,
  type ListEnd,
  type ListLook,
} from '../reconcile/list-lag.ts';
import { readLastWriteIn } from '../reconcile/write-times.ts';
import type { ExpectedUsers } from './expected-users.ts';
import { metadataEntry, readDetail } from './read-details.ts';

export interface LateRequest {
  readonly client: Client;
  readonly orgs: readonly string[];
  readonly users: ExpectedUsers;
  /** Where journals of the imports may lie. */
  readonly journals: readonly string[];
  /** The number of each user and its id in the source, in order; called only where users have to be asked for. */
  readonly ids: () => AsyncIterable<readonly [user: number, id: string]>;
}

const laggingFields = ['metadata', 'links'] as const;
type LaggingField = (typeof laggingFields)[number];

/**
 * `askAgain` compares the users that differ in a field. Those that cannot be compared in time are not known yet; where nothing
 * says how far the list has to come, the field is unknown.
 */
export async function compareLate(
  request: LateRequest,
  context: ListContext,
  askAgain: (field: LaggingField) => Promise<void>,
): Promise<void> {
  const { users } = request;
  for (const field of laggingFields) {
    for (let state: ListEnd['state'] = 'shown'; state === 'shown';) {
      const probe = await findLast(request, field);
      if (probe === undefined) break;
      const look = (): Promise<ListLook> => lookAt(request, field, probe);
      const end = await waitUntil(context, {
        name: field,
        look,
        written: () => readLastWritten(context.client, field, probe.userId),
        writtenBefore: () => readLastWrite(request, field, probe),
      }).catch(ignoreRefusal);
      if (end === undefined) break;
      ({ state } = end);
      await askAgain(field);
      if (state === 'stable' || state === 'unknown') notifyAsOf(request, field, end, context.emit);
      users.withdrawDifferences(field, state);
    }
  }
  await findLostMetadata(request);
}

/** Lists lose events for good under load: what differs in the list is as expected where the log says so. */
async function findLostMetadata({ client, users, ids }: LateRequest): Promise<void> {
  if (users.with('differs metadata').next().done === true) return;
  for await (const [user, id] of ids()) {
    if (!users.has(user, 'differs metadata')) continue;
    const logged = await readLoggedMetadata(client, users.targetId(user, id));
    if (logged === undefined) return;
    users.compareDetail(
      user,
      'metadata',
      Array.from(logged, ([key, value]) => metadataEntry(key, value)),
    );
    if (!users.has(user, 'differs metadata')) users.lose(user, 'metadata');
  }
}

interface Probe {
  readonly user: number;
  /** At the target. */
  readonly userId: string;
}

/** The last user that differs: imports write in the order of the source. */
async function findLast({ users, ids }: LateRequest, field: LaggingField): Promise<Probe | undefined> {
  if (users.with(`differs ${field}`).next().done === true) return undefined;
  let last: Probe | undefined;
  for await (const [user, id] of ids())
    if (users.has(user, `differs ${field}`)) last = { user, userId: users.targetId(user, id) };
  return last;
}

async function lookAt(
  { client, orgs, users }: LateRequest,
  field: LaggingField,
  { user, userId }: Probe,
): Promise<ListLook> {
  let time: number | undefined;
  const toRead = { client, org: orgs[users.orgOf(user)]!, id: userId };
  const entries = await readDetail[field](toRead, (at) => (time = at));
  users.compareDetail(user, field, entries);
  return { isShown: !users.has(user, `differs ${field}`), time };
}

/** Then the comparison before holds. */
function ignoreRefusal(error: unknown): undefined {
  if (!isRefusal(error)) throw error;
}

const lists: Readonly<Record<LaggingField, string>> = { metadata: 'userMetadata', links: 'userLinks' };

/**
 * What the journals and the service itself say without the log of events: when a run has last written such entries, and when
 * the user was created, which is before its own, or the same.
 */
async function readLastWrite(
  { client, orgs, users, journals }: LateRequest,
  field: LaggingField,
  { user: number, userId }: Probe,
): Promise<number | undefined> {
  const org = orgs[users.orgOf(number)]!;
  const user = await readUser(client, org, { id: userId, userName: '' });
  const times = [user?.createdAt];
  for (const folder of journals) times.push(await readLastWriteIn(folder, client.url, lists[field]));
  const known = times.filter((time): time is number => time !== undefined && !Number.isNaN(time));
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Without the log of events, a difference is as old as the list that shows it. */
function notifyAsOf({ users }: LateRequest, field: LaggingField, end: ListEnd, emit: Emit): void {
  const count = users.count(`differs ${field}`);
  if (count === 0) return;
  const shown = `The list of ${field} ${asOf(end.time)}shows other ${field} of ${formatCounted(count, 'user')}`;
  const why = 'The token may not read the log of events (events.read; IAM_OWNER_VIEWER has it)';
  const [level, text] =
    end.state === 'stable'
      ? (['info', `${shown}. ${why}: later changes are not known.`] as const)
      : (['warning', `${shown}, and whether it is up to date cannot be known. ${why}.`] as const);
  emit(noticeEvent({ level, code: 'list:as-of', text }));
}

const asOf = (time: number | undefined): string =>
  time === undefined ? '' : `as of ${new Date(time).toISOString()} `;
