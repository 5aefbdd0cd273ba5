/** Finds users at the service by id or user name, in few requests whatever their number; and deletes one. */
import type { Client } from '../../api/client.ts';
import { listUsersResponse, type ListUsersInput } from '../../wire/user-search.ts';

export interface UserKey {
  /** Empty where the service chose it. */
  readonly id: string;
  readonly userName: string;
}

export interface FoundUser {
  readonly id: string;
  readonly userName: string;
  /** Empty for service accounts. */
  readonly email: string;
  /** Milliseconds since 1970, on the service's clock. */
  readonly createdAt: number;
  readonly changedAt: number;
}

/** Ids in one query, and names: each name is a query of its own inside. */
const idsAtOnce = 500;
const namesAtOnce = 50;

/** By the position in `users`; a user that is not in this organization has no entry. */
export async function findUsers(
  client: Client,
  orgId: string,
  users: readonly UserKey[],
): Promise<Map<number, FoundUser>> {
  const found = new Map<number, FoundUser>();
  const positions = [...users.keys()];
  const withId = positions.filter((at) => users[at]!.id !== '');
  const withName = positions.filter((at) => users[at]!.id === '');
  for (const part of inParts(withId, idsAtOnce)) {
    const userIds = part.map((at) => users[at]!.id);
    const seen = await search(client, orgId, [{ inUserIdsQuery: { userIds } }], part.length);
    const byId = new Map(seen.map((user) => [user.id, user]));
    for (const at of part) keep(found, at, byId.get(users[at]!.id));
  }
  for (const part of inParts(withName, namesAtOnce)) {
    const queries = part.map((at) => ({
      userNameQuery: {
        userName: users[at]!.userName.trim(),
        method: 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE' as const,
      },
    }));
    const seen = await search(client, orgId, [{ orQuery: { queries } }], part.length);
    const byName = new Map(seen.map((user) => [foldName(user.userName), user]));
    for (const at of part) keep(found, at, byName.get(foldName(users[at]!.userName)));
  }
  return found;
}

async function search(
  client: Client,
  orgId: string,
  queries: ListUsersInput['queries'],
  limit: number,
): Promise<FoundUser[]> {
  const body: ListUsersInput = { query: { limit }, queries };
  const { result } = await client.call({
    method: 'POST',
    path: '/management/v1/users/_search',
    body,
    org: orgId,
    repeat: 'safe',
    answer: listUsersResponse,
  });
  return result.map(({ id, userName, human, details }) => ({
    id,
    userName,
    email: human?.email?.email ?? '',
    createdAt: Date.parse(details?.creationDate ?? ''),
    changedAt: Date.parse(details?.changeDate ?? ''),
  }));
}

function keep(found: Map<number, FoundUser>, at: number, user: FoundUser | undefined): void {
  if (user !== undefined) found.set(at, user);
}

/** The service compares user names without regard to case. */
export const foldName = (name: string): string => name.trim().toLowerCase();

function* inParts<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** False where the user was not there, so that it may be repeated. Throws `ApiError` for anything else. */
export async function removeUser(client: Client, org: string, id: string): Promise<boolean> {
  const end = await client.attempt({
    method: 'DELETE',
    path: `/management/v1/users/${encodeURIComponent(id)}`,
    org,
    repeat: 'safe',
  });
  if (end.ok) return true;
  // The gateway's own 404 has no id: then the path is unknown, and nothing can be said of the user.
  const { status, id: errorId } = end.error;
  if (status === 404 && errorId !== undefined && !errorId.startsWith('AUTHZ')) return false;
  throw end.error;
}
