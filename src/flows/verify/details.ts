/**
 * Compares metadata, links, passwords and TOTP of the users that were found, which no list of users shows: read from an export, else
 * user by user.
 */
import { ApiError, isRefusal, ifRefused } from '../../api/api-error.ts';
import { note, warning } from '../../events.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { formatCounted, formatTimeAt } from '../../lib/format.ts';
import { firstText, type JsonObject, objectOf } from '../../lib/json-value.ts';
import { type Comparison, keysOf } from './comparison.ts';
import type { ExpectedUsers } from './expected-users.ts';
import { askedFields, type AskedField } from './fields.ts';
import { readLoggedMetadata } from '../reconcile/event-log.ts';
import { readUser, readSignInMethods } from '../reconcile/find-users.ts';
import {
  asOf,
  readLastWritten,
  waitUntil,
  type ListEnd,
  type ListLook,
  listTimeOf,
} from '../reconcile/list-lag.ts';
import { readLastWriteIn } from '../reconcile/write-times.ts';
import { latest } from '../../lib/clock.ts';
import { type Client, searchPages } from '../../api/client.ts';
import { entriesIn, organizationsIn } from '../../sources/org-data/organizations.ts';
import type { ListDetails } from '../../wire/details.ts';
import { listMetadataResponse, listIdpLinksResponse } from '../../wire/user.ts';

/** Compares the details. A password that the list shows is not asked for. */
export async function compareDetails(run: Comparison) {
  const { users, request } = run;
  const refused = request.withExport ? await readExports(run) : undefined;
  for (const user of users.with('exported')) users.compareSeen(user, askedFields);
  const isAsked = (user: number, field: AskedField) => {
    if (!users.has(user, 'found') || users.has(user, 'exported')) return false;
    if (field === 'password') return users.has(user, 'wants password') && !users.has(user, 'has password');
    if (field === 'TOTP') return users.has(user, 'wants TOTP');
    if (field === 'links' && users.has(user, 'machine')) return false;
    return request.details === 'all' || users.has(user, `wants ${field}`);
  };
  const plan: Plan = (user) => askedFields.filter((field) => isAsked(user, field));
  const { asked, requests } = countCalls(users, plan);
  if (asked > 0) {
    notifyCost(run, asked, requests, refused);
    await askOneByOne(run, plan);
  }
  await compareLate(run, (field) =>
    askOneByOne(run, (user) => (users.has(user, `differs ${field}`) ? [field] : [])),
  );
}

/** Returns why the service does not give all exports. Undefined if it gives them. */
async function readExports({ request: { client, orgs }, users }: Comparison) {
  let refused: ApiError | undefined;
  for (const [number, org] of orgs.entries()) {
    const error = await readExport(client, org, number, users);
    if (error !== undefined && error.verdict !== 'refused' && error.verdict !== 'too-large') throw error;
    refused ??= error;
    // A token that may not export one organization may export none. Size limits can differ between organizations.
    if (error?.verdict === 'refused') break;
  }
  return refused;
}

type Plan = (user: number) => readonly AskedField[];

async function askOneByOne(run: Comparison, plan: Plan) {
  const { users, request, lists } = run;
  const { client, orgs, concurrency, perSecond } = request;
  const { emit, signal } = lists;
  const { asked, requests } = countCalls(users, plan);
  emit({
    type: 'run:start',
    verb: 'verify',
    inputs: ['user by user'],
    records: asked,
    perSecond: perSecond === undefined ? undefined : (perSecond * asked) / requests,
  });
  /** Organizations with fields that are refused for all users. Each is reported once and not asked for again. */
  const refused = new Set<string>();
  let done = 0;
  const work = async ({ user, id }: { readonly user: number; readonly id: string }) => {
    const org = orgs[users.orgOf(user)]!;
    for (const field of plan(user)) {
      const all = `${org}\n${field}`;
      try {
        if (refused.has(all)) users.markUnknown(user, field);
        else users.compareDetail(user, field, await readDetail[field]({ client, org, id }));
      } catch (error) {
        if (!isRefusal(error)) throw error;
        users.markUnknown(user, field);
        if (!concernsAll(error) || refused.has(all)) continue;
        refused.add(all);
        const hint = error.hint === undefined ? '' : ` ${error.hint}`;
        const what = field === 'password' ? 'Whether users have a password' : `Their ${field}`;
        const text = `${what} cannot be known in organization ${org}: ${error.text}.${hint}`;
        emit(warning('verify:unknown', text));
      }
    }
    done += 1;
    emit({ type: 'run:progress', bytes: 0, records: done });
  };
  const toRead = keysOf(run, (user) => users.has(user, 'found') && plan(user).length > 0);
  await forEachConcurrent(toRead, concurrency, work, signal);
  signal.throwIfAborted();
}

function countCalls(users: ExpectedUsers, plan: Plan) {
  const calls = Array.from(users.with('found'), (user) => plan(user).length).filter(Boolean);
  return { asked: calls.length, requests: calls.reduce((sum, count) => sum + count, 0) };
}

function notifyCost(
  { request: { perSecond }, lists }: Comparison,
  asked: number,
  requests: number,
  refused: ApiError | undefined,
) {
  const why = refused === undefined ? '' : `The service gives no export (${refused.text}). `;
  const text = `${why}Metadata, links, passwords and TOTP of ${formatCounted(asked, 'user')} are asked for one by one: ${formatCounted(requests, 'request')}, ${formatTimeAt(requests, perSecond)}. --details=none skips that.`;
  lists.emit(note('verify:details', text));
}

const laggingFields = ['metadata', 'links'] as const;
type LaggingField = (typeof laggingFields)[number];

/**
 * `askAgain` compares the users that differ in a field. Users that cannot be compared in time count as not known yet. If nothing
 * says how current the list has to be, the field is unknown.
 */
async function compareLate(run: Comparison, askAgain: (field: LaggingField) => Promise<void>) {
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
    if (users.has(user, 'differs metadata')) continue;
    users.markUnknown(user, 'metadata');
    users.unlisted.add(user);
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
  const shown = `The list of ${field}${asOf(end.time)} shows other ${field} of ${formatCounted(count, 'user')}`;
  const why = 'The token may not read the log of events (events.read; IAM_OWNER_VIEWER has it)';
  const code = 'list:as-of';
  lists.emit(
    end.state === 'stable'
      ? note(code, `${shown}. ${why}: later changes are not known.`)
      : warning(code, `${shown}, and whether it is up to date cannot be known. ${why}.`),
  );
}

// Texts by which the details of a user are compared.

/** Normalizes base64, which can be written in more than one way. */
export function metadataEntry(key: string, value: string) {
  return `${key}\n${Buffer.from(value, 'base64').toString('base64')}`;
}

export function linkEntry(idpId: string, externalId: string) {
  return `${idpId}\n${externalId}`;
}

/** The value of the password does not count: the service replaces the hash at the first login. */
export const passwordEntry = 'a password';
export const totpEntry = 'a TOTP secret';

interface UserToRead {
  readonly client: Client;
  readonly org: string;
  readonly id: string;
}

/** Is called with the time up to which a list is current. Undefined if the list does not say it. */
type OnTime = (time: number | undefined) => void;

const signInMethod =
  (type: string, entry: string) =>
  async ({ client, id, org }: UserToRead) =>
    (await readSignInMethods(client, id, org)).includes(`AUTHENTICATION_METHOD_TYPE_${type}`) ? [entry] : [];

/** Functions that return entries as `ExpectedUsers` takes them. They throw `ApiError`. */
const readDetail: Readonly<Record<AskedField, (user: UserToRead, onTime?: OnTime) => Promise<string[]>>> = {
  metadata: (user, onTime) =>
    readList(
      user,
      '/management/v1/users/*/metadata/_search',
      listMetadataResponse,
      onTime,
      ({ key, value }) => metadataEntry(key, value),
    ),
  links: (user, onTime) =>
    readList(user, '/v2/users/*/links/_search', listIdpLinksResponse, onTime, ({ idpId, userId }) =>
      linkEntry(idpId, userId),
    ),
  password: signInMethod('PASSWORD', passwordEntry),
  TOTP: signInMethod('TOTP', totpEntry),
};

/** Reports whether a refusal holds for all users: no permission, or no such call at this service. */
export function concernsAll({ status, id }: ApiError) {
  if (status === 403 || status === 405 || status === 501) return true;
  // The gateway's own 404 has no id. That of a membership begins with AUTHZ.
  return status === 404 && (id === undefined || id.startsWith('AUTHZ'));
}

/** Reads the list at a path, in which the id of the user replaces the star. */
async function readList<Item>(
  { client, org, id }: UserToRead,
  path: string,
  answer: {
    parse(value: unknown): { readonly result: readonly Item[]; readonly details?: ListDetails | undefined };
  },
  onTime: OnTime = () => undefined,
  entryOf: (item: Item) => string,
) {
  const entries: string[] = [];
  for await (const page of searchPages(client, path.replace('*', encodeURIComponent(id)), answer, { org })) {
    onTime(listTimeOf(page.details));
    entries.push(...page.result.map(entryOf));
  }
  return entries;
}

const exportedLists = ['humanUsers', 'machineUsers', 'userMetadata', 'userLinks'] as const;
const exportTimeout = 600_000;

/**
 * Adds what an export of the organization shows. Returns undefined if all was read, else why the service gives no export. The
 * answer is never in memory as a whole.
 */
async function readExport(client: Client, org: string, number: number, users: ExpectedUsers) {
  const forget = () => {
    for (const user of users.with('found')) {
      if (users.orgOf(user) !== number) continue;
      users.forget(user, askedFields);
      users.mark(user, 'exported', false);
    }
  };
  const end = await client.attempt({
    method: 'POST',
    path: '/admin/v1/export',
    body: { orgIds: [org], withPasswords: true, withOtp: users.count('wants TOTP') > 0, timeout: '10m0s' },
    timeout: exportTimeout,
    receive: async (blocks) => {
      // Also called again after an answer broke off.
      forget();
      for await (const item of organizationsIn('the export', blocks, { lists: exportedLists })) {
        if (item.kind !== 'batch') continue;
        for (const entry of entriesIn('the export', item)) addExported(item.list, entry, users);
      }
    },
  });
  if (end.ok) return undefined;
  forget();
  return end.error;
}

function addExported(list: string, entry: JsonObject, users: ExpectedUsers) {
  const user = users.byTargetId(firstText(entry, 'userId', 'id'));
  if (user === -1) return;
  if (list === 'userMetadata') {
    users.see(user, 'metadata', metadataEntry(firstText(entry, 'key'), firstText(entry, 'value')));
  } else if (list === 'userLinks') {
    users.see(user, 'links', linkEntry(firstText(entry, 'idpId'), firstText(entry, 'providedUserId')));
  } else {
    users.mark(user, 'exported');
    const own = objectOf(entry['user']);
    if (firstText(objectOf(own['hashedPassword']), 'value') !== '')
      users.see(user, 'password', passwordEntry);
    if (firstText(own, 'otpCode') !== '') users.see(user, 'TOTP', totpEntry);
  }
}
