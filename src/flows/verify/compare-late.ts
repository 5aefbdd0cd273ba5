/** Compares differing metadata and links again once their lists are current: each list lags behind writes on its own. */
import { ifRefused } from '../../api/api-error.ts';
import { noticeEvent } from '../../events.ts';
import { formatCounted } from '../../lib/format.ts';
import { readLoggedMetadata } from '../reconcile/event-log.ts';
import { readUser } from '../reconcile/find-users.ts';
import { readLastWritten, waitUntil, type ListEnd, type ListLook } from '../reconcile/list-lag.ts';
import { readLastWriteIn } from '../reconcile/write-times.ts';
import { type Comparison, keysOf } from './comparison.ts';
import { metadataEntry, readDetail } from './read-details.ts';
import { latest } from '../../lib/clock.ts';

const laggingFields = ['metadata', 'links'] as const;
type LaggingField = (typeof laggingFields)[number];

/**
 * `askAgain` compares the users that differ in a field. Users that cannot be compared in time count as not known yet. If nothing
 * says how current the list has to be, the field is unknown.
 */
export async function compareLate(run: Comparison, askAgain: (field: LaggingField) => Promise<void>) {
  const { users, lists } = run;
  for (const field of laggingFields) {
    for (let state: ListEnd['state'] = 'shown'; state === 'shown';) {
      const probe = await findLast(run, field);
      if (probe === undefined) break;
      const look = (): Promise<ListLook> => lookAt(run, field, probe);
      const end = await waitUntil(lists, {
        name: field,
        look,
        written: () => readLastWritten(lists.client, field, probe.id),
        writtenBefore: () => readLastWrite(run, field, probe),
      }).catch(ifRefused(() => undefined));
      // The previous comparison holds.
      if (end === undefined) break;
      ({ state } = end);
      await askAgain(field);
      if (state === 'stable' || state === 'unknown') notifyAsOf(run, field, end);
      users.withdrawDifferences(field, state);
    }
  }
  await findLostMetadata(run);
}

/** Lists can lose events for good under load. If the log has what the source expects, the list's difference does not count. */
async function findLostMetadata(run: Comparison) {
  const { users, lists } = run;
  if (!users.any('differs metadata')) return;
  for await (const { user, id } of keysOf(run, (each) => users.has(each, 'differs metadata'))) {
    const logged = await readLoggedMetadata(lists.client, id);
    if (logged === undefined) return;
    users.compareDetail(
      user,
      'metadata',
      Array.from(logged, ([key, value]) => metadataEntry(key, value)),
    );
    if (!users.has(user, 'differs metadata')) users.lose(user);
  }
}

interface Probe {
  readonly user: number;
  /** Id of the user at the target. */
  readonly id: string;
}

/** Returns the last user that differs, because imports write in the order of the source. */
async function findLast(run: Comparison, field: LaggingField) {
  const { users } = run;
  if (!users.any(`differs ${field}`)) return undefined;
  let last: Probe | undefined;
  for await (const each of keysOf(run, (user) => users.has(user, `differs ${field}`))) last = each;
  return last;
}

async function lookAt(
  { request: { client, orgs }, users }: Comparison,
  field: LaggingField,
  { user, id }: Probe,
): Promise<ListLook> {
  let time: number | undefined;
  const toRead = { client, org: orgs[users.orgOf(user)]!, id };
  const entries = await readDetail[field](toRead, (at) => (time = at));
  users.compareDetail(user, field, entries);
  return { isShown: !users.has(user, `differs ${field}`), time };
}

const listNames: Readonly<Record<LaggingField, string>> = { metadata: 'userMetadata', links: 'userLinks' };

/**
 * Returns the latest write that the journals and the service know of without the event log: when a run last wrote such entries,
 * or when the user was created, which is never after them.
 */
async function readLastWrite(
  { request: { client, orgs, journals = [] }, users }: Comparison,
  field: LaggingField,
  { user: number, id }: Probe,
) {
  const org = orgs[users.orgOf(number)]!;
  const user = await readUser(client, org, { id, userName: '' });
  // If the service does not say it, this is NaN.
  const times = [user?.createdAt || undefined];
  for (const folder of journals) times.push(await readLastWriteIn(folder, client.url, listNames[field]));
  return latest(times);
}

/** Says how current the comparison is: without the event log, a difference is only as recent as the list that shows it. */
function notifyAsOf({ users, lists }: Comparison, field: LaggingField, end: ListEnd) {
  const count = users.count(`differs ${field}`);
  if (count === 0) return;
  const shown = `The list of ${field} ${asOf(end.time)}shows other ${field} of ${formatCounted(count, 'user')}`;
  const why = 'The token may not read the log of events (events.read; IAM_OWNER_VIEWER has it)';
  const [level, text] =
    end.state === 'stable'
      ? (['info', `${shown}. ${why}: later changes are not known.`] as const)
      : (['warning', `${shown}, and whether it is up to date cannot be known. ${why}.`] as const);
  lists.emit(noticeEvent({ level, code: 'list:as-of', text }));
}

const asOf = (time: number | undefined) =>
  time === undefined ? '' : `as of ${new Date(time).toISOString()} `;
