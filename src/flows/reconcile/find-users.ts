/** People of a body in, those of them who are at the target out: in few requests, whatever their number. */
import type { Client } from '../../api/client.ts';
import { listUsersResponse, type ListUsersInput } from '../../wire/user-search.ts';

export interface Sought {
  /** Empty where the service chose it. */
  readonly id: string;
  readonly userName: string;
}

export interface Found {
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

/** By the place of the person in `people`; who is not there has no entry. Only people of this organization are seen. */
export async function findPeople(
  client: Client,
  orgId: string,
  people: readonly Sought[],
): Promise<Map<number, Found>> {
  const found = new Map<number, Found>();
  const places = [...people.keys()];
  const withId = places.filter((place) => people[place]!.id !== '');
  const withName = places.filter((place) => people[place]!.id === '');
  for (const part of inParts(withId, idsAtOnce)) {
    const userIds = part.map((place) => people[place]!.id);
    const seen = await search(client, orgId, [{ inUserIdsQuery: { userIds } }], part.length);
    const byId = new Map(seen.map((user) => [user.id, user]));
    for (const place of part) keep(found, place, byId.get(people[place]!.id));
  }
  for (const part of inParts(withName, namesAtOnce)) {
    const queries = part.map((place) => ({
      userNameQuery: {
        userName: people[place]!.userName.trim(),
        method: 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE' as const,
      },
    }));
    const seen = await search(client, orgId, [{ orQuery: { queries } }], part.length);
    const byName = new Map(seen.map((user) => [fold(user.userName), user]));
    for (const place of part) keep(found, place, byName.get(fold(people[place]!.userName)));
  }
  return found;
}

async function search(
  client: Client,
  orgId: string,
  queries: ListUsersInput['queries'],
  limit: number,
): Promise<Found[]> {
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

function keep(found: Map<number, Found>, place: number, user: Found | undefined): void {
  if (user !== undefined) found.set(place, user);
}

const fold = (name: string): string => name.trim().toLowerCase();

function* inParts<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
