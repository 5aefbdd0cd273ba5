/** An organization in, its users out: all of them page by page, or those who are sought. */
import type { Client } from '../../api/client.ts';
import { listUsersResponse, type ListUsersInput } from '../../wire/user-search.ts';
import type { UserV1 } from '../../wire/user.ts';

/** What the service gives at most. */
export const pageSize = 1000;

/** By the time of creation, so that who comes in meanwhile stands behind. */
export async function* listUsers(client: Client, org: string): AsyncGenerator<readonly UserV1[]> {
  for (let offset = 0; ;) {
    const result = await search(client, org, {
      query: { offset: String(offset), limit: pageSize, asc: true },
      sortingColumn: 'USER_FIELD_NAME_CREATION_DATE',
    });
    yield result;
    offset += result.length;
    if (result.length < pageSize) return;
  }
}

/** Each name is a query of its own inside. */
const namesAtOnce = 50;

/** Those of them who are there, in a few requests. */
export async function* seekUsers(
  client: Client,
  org: string,
  { ids, names }: { readonly ids: readonly string[]; readonly names: readonly string[] },
): AsyncGenerator<readonly UserV1[]> {
  if (ids.length > 0) {
    yield await search(client, org, {
      query: { limit: ids.length },
      queries: [{ inUserIdsQuery: { userIds: [...ids] } }],
    });
  }
  for (let at = 0; at < names.length; at += namesAtOnce) {
    const part = names.slice(at, at + namesAtOnce);
    const queries = part.map((userName) => ({
      userNameQuery: { userName, method: 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE' as const },
    }));
    yield await search(client, org, { query: { limit: part.length }, queries: [{ orQuery: { queries } }] });
  }
}

async function search(client: Client, org: string, body: ListUsersInput): Promise<readonly UserV1[]> {
  const { result } = await client.call({
    method: 'POST',
    path: '/management/v1/users/_search',
    body,
    org,
    repeat: 'safe',
    answer: listUsersResponse,
  });
  return result;
}
