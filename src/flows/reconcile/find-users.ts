/** Finds users at the service by id or user name, many in few requests or one exactly, and deletes one. */
import { memoized } from '../../lib/strings.ts';
import type { ApiError } from '../../api/api-error.ts';
import { get, search, callIfAllowed, type Call, type Client } from '../../api/client.ts';
import { foldName } from '../../records/text.ts';
import type { UserRecord } from '../../records/user.ts';
import { getOrgResponse } from '../../wire/organization.ts';
import { authenticationMethodsResponse } from '../../wire/sign-in.ts';
import {
  getUserResponse,
  getUserV2Response,
  listIdpLinksResponse,
  type UserV1,
  type UserV2,
  listUsersResponse,
  listUsersV2Response,
  type ListUsersInput,
} from '../../wire/user.ts';
import { parseTime } from '../../lib/clock.ts';

export interface UserKey {
  /** Empty if the service chose it. */
  readonly id: string;
  readonly userName: string;
}

export interface FoundUser {
  readonly id: string;
  readonly org: string;
  readonly userName: string;
  /** Empty for service accounts. */
  readonly email: string;
  /** Milliseconds since 1970, on the clock that stamps users. */
  readonly createdAt: number;
  readonly changedAt: number;
  /** All that version 1 shows. Absent if the user was not read with it. */
  readonly shown?: UserV1;
}

/** Returns the path of version 2 calls about one user. */
export const userPath = (id: string) => `/v2/users/${encodeURIComponent(id)}`;

/** Returns the call that reads a user of any organization. */
export const getUser = (id: string) => get(userPath(id), getUserV2Response);
/** Returns the call that reads an organization as its own members see it. */
export const ownOrg = (org: string) => get('/management/v1/orgs/me', getOrgResponse, { org });

/**
 * Actions by the state that the user should get and the one it has. A user who has not answered the first email can only be
 * locked.
 */
export const stateActions: Readonly<Record<UserRecord['state'], Partial<Record<UserV2['state'], string>>>> = {
  active: { USER_STATE_INACTIVE: 'reactivate', USER_STATE_LOCKED: 'unlock' },
  inactive: { USER_STATE_ACTIVE: 'deactivate', USER_STATE_INITIAL: 'lock' },
  locked: { USER_STATE_ACTIVE: 'lock', USER_STATE_INITIAL: 'lock' },
};

/** Error ids of version 1 and of these actions which mean that an earlier attempt has reached the state. */
const stateIsThere = new Set([
  'COMMAND-5M0sf',
  'COMMAND-3NN8v',
  'COMMAND-5gunjw0cd7',
  'COMMAND-s5qqcz97hf',
  'COMMAND-lgws8wtsqf',
  'COMMAND-olb9vb0oca',
]);

export const isStateThere = ({ id = '' }: ApiError) => stateIsThere.has(id);

/** Numbers of ids and of names in one query. The service makes a query of its own of each name. */
const idsAtOnce = 500;
const namesAtOnce = 50;

/** Returns the users in the order of `users`, as far as the list of this organization shows them. Lists lag behind writes. */
export async function findUsers(client: Client, org: string, users: readonly UserKey[]) {
  const ids = users.flatMap(({ id }) => (id === '' ? [] : [id]));
  const names = users.flatMap(({ id, userName }) => (id === '' ? [userName.trim()] : []));
  const [byId, byName] = [new Map<string, UserV1>(), new Map<string, UserV1>()];
  const seek = async (queries: ListUsersInput['queries'], limit: number) => {
    const body: ListUsersInput = { query: { limit }, queries };
    const call = search('/management/v1/users/_search', body, listUsersResponse, { org });
    for (const user of (await client.call(call)).result) {
      byId.set(user.id, user);
      byName.set(foldName(user.userName), user);
    }
  };
  for (const part of inParts(ids, idsAtOnce))
    await seek([{ inUserIdsQuery: { userIds: [...part] } }], part.length);
  for (const part of inParts(names, namesAtOnce)) {
    const method = 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE';
    const queries = part.map((userName) => ({ userNameQuery: { userName, method } as const }));
    await seek([{ orQuery: { queries } }], part.length);
  }
  return users.map(({ id, userName }) => {
    const user = id === '' ? byName.get(foldName(userName)) : byId.get(id);
    return user && toFound(user, org);
  });
}

function toFound(shown: UserV1, org: string): FoundUser {
  const { id, userName, human } = shown;
  const times = { createdAt: createdAt(shown), changedAt: changedAt(shown) };
  return { id, org, userName, email: human?.email?.email ?? '', ...times, shown };
}

interface Dated {
  readonly details?: { readonly creationDate: string; readonly changeDate: string } | undefined;
}

/** Returns when something was created, on the clock that stamps it, in milliseconds. `changedAt`: when it was last written. */
export const createdAt = ({ details }: Dated) => Date.parse(details?.creationDate ?? '');
const changedAt = ({ details }: Dated) => Date.parse(details?.changeDate ?? '');

export function* inParts<Item>(items: readonly Item[], size: number) {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size) as [Item, ...Item[]];
}

/** Reads one user of any organization by id. */
export async function readUserById(client: Client, id: string) {
  const user = await readUserV2(client, id);
  if (user === undefined) return undefined;
  const { userId, username: userName, human, details } = user;
  return toFound({ id: userId, userName, human, details } as UserV1, details?.resourceOwner ?? '');
}

/** Reads one user of any organization by id, with all that the service shows. */
export async function readUserV2(client: Client, id: string) {
  return (await callIfAllowed(client, getUser(id)))?.user;
}

/** Reports whether the user still exists. Users of a removed organization are still shown, but without a login name. */
export const isThere = ({ preferredLoginName }: UserV2) => preferredLoginName !== '';

/** Lists users of any organization in one query. Lists lag, and may have lost users. */
export async function listUsersById(client: Client, userIds: readonly string[]) {
  const body = { query: { limit: userIds.length }, queries: [{ inUserIdsQuery: { userIds } }] };
  return (await client.call(search('/v2/users', body, listUsersV2Response))).result;
}

/**
 * Reads one user in its current state, unlike a list: by id, else by login name, which is the user name, in some organizations with
 * their domain. Undefined if the user is not in this organization, or the service does not tell, for example because the token may
 * not read users by login name.
 */
export async function readUser(client: Client, org: string, { id, userName }: UserKey) {
  if (id !== '') return attemptRead(client, `/management/v1/users/${encodeURIComponent(id)}`, { org });
  const name = userName.trim();
  if (name === '') return undefined;
  const path = '/management/v1/global/users/_by_login_name';
  const byLogin = (loginName: string) => attemptRead(client, path, { org, query: { loginName } });
  const byName = await byLogin(name);
  const domain = byName === undefined ? await readDomain(client, org) : '';
  const user = domain === '' ? byName : await byLogin(`${name}@${domain}`);
  // The login name may belong to a user with another user name.
  return foldName(user?.userName ?? '') === foldName(name) ? user : undefined;
}

/** Primary domains by organization, each read once. */
const domains = new WeakMap<Client, (org: string) => Promise<string>>();

function readDomain(client: Client, org: string) {
  const read =
    domains.get(client) ??
    memoized(async (id) => {
      const end = await client.attempt(ownOrg(id));
      return end.ok ? (end.value.org?.primaryDomain ?? '') : '';
    }, Infinity);
  domains.set(client, read);
  return read(org);
}

async function attemptRead(
  client: Client,
  path: string,
  place: Pick<Call, 'query'> & { readonly org: string },
) {
  const answer = await callIfAllowed(client, get(path, getUserResponse, place));
  const user = answer?.user;
  return user?.details?.resourceOwner === place.org ? toFound(user, place.org) : undefined;
}

/** Returns when the newest user of the instance was created. Undefined if the service does not tell. */
export async function readNewestCreation(client: Client) {
  const body = { query: { limit: 1, asc: false }, sortingColumn: 'USER_FIELD_NAME_CREATION_DATE' };
  const answer = await callIfAllowed(client, search('/v2/users', body, listUsersV2Response));
  return parseTime(answer?.result[0]?.details?.creationDate ?? '');
}

/**
 * Returns when a write was made, according to the answer or its `details`. Undefined if they do not say. Throws if it is no
 * answer of the service, but for example a proxy's page.
 */
export function writtenAt(answer: unknown) {
  const { details, ...times } = answer as Record<string, unknown>;
  const { creationDate, changeDate = creationDate } = {
    ...(details as object | undefined),
    ...times,
  } as Record<string, unknown>;
  return parseTime(String(changeDate));
}

/**
 * Deletes a user of any organization, even one that the service's lists have lost. Returns false if the user did not exist, so
 * that it may be repeated. Throws `ApiError` for anything else.
 */
export async function removeUser(client: Client, id: string) {
  const end = await client.attempt({ method: 'DELETE', path: userPath(id) });
  if (end.ok) return true;
  // The gateway's own 404 has no id. It means an unknown path, and says nothing about the user.
  const { status, id: errorId } = end.error;
  if (status === 404 && errorId !== undefined && !errorId.startsWith('AUTHZ')) return false;
  throw end.error;
}

/** Reads a user's linked logins, as far as the list shows them. Throws `ApiError`. */
export const readLinks = (client: Client, id: string, org?: string) =>
  client.call(
    search(`${userPath(id)}/links/_search`, { query: { limit: 1000 } }, listIdpLinksResponse, { org }),
  );

/** Reads what a user can sign in with. Throws `ApiError`, also if the service is too old for this call. */
export async function readSignInMethods(
  client: Pick<Client, 'call'>,
  id: string,
  org?: string,
): Promise<readonly (string | number)[]> {
  const path = `${userPath(id)}/authentication_methods`;
  const answer = await client.call(get(path, authenticationMethodsResponse, { org }));
  return answer.authMethodTypes;
}

/**
 * Returns the first user with this name in one of the organizations. Uses their lists if the token may not read users by login
 * name.
 */
export async function findByName(client: Client, orgs: readonly string[], userName: string) {
  for (const org of orgs) {
    const key = { id: '', userName };
    const user = (await readUser(client, org, key)) ?? (await findUsers(client, org, [key]))[0];
    if (user !== undefined) return user;
  }
  return undefined;
}
