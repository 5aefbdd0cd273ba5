/** Lists the users of an organization while the answer comes in: page by page, or those of some ids and names. */
import type { Client } from '../../api/client.ts';
import { NetworkFailure } from '../../api/network.ts';
import { batchMemory } from '../../lib/batch-memory.ts';
import { parseElements } from '../../json/parse.ts';
import { scanJson } from '../../json/scan.ts';
import type { ListUsersInput } from '../../wire/user-search.ts';
import { userV1, type UserV1 } from '../../wire/user.ts';

/** Gets some users at a time; the same ones again where an answer broke off and was requested again. */
export type TakeUsers = (users: readonly UserV1[]) => Promise<void>;

const pageSize = 1000;

/** By the time of creation, so that users who are added meanwhile come last. */
export async function listUsers(client: Client, org: string, take: TakeUsers): Promise<void> {
  for (let offset = 0, count = pageSize; count === pageSize; offset += count) {
    const query = { offset: String(offset), limit: pageSize, asc: true };
    count = await search(client, org, { query, sortingColumn: 'USER_FIELD_NAME_CREATION_DATE' }, take);
  }
}

/** Each name is a query of its own inside. */
const namesAtOnce = 50;

/** Those that are there, in a few requests. */
export async function seekUsers(
  client: Client,
  org: string,
  { ids, names }: { readonly ids: readonly string[]; readonly names: readonly string[] },
  take: TakeUsers,
): Promise<void> {
  if (ids.length > 0) {
    const queries = [{ inUserIdsQuery: { userIds: [...ids] } }];
    await search(client, org, { query: { limit: ids.length }, queries }, take);
  }
  for (let at = 0; at < names.length; at += namesAtOnce) {
    const part = names.slice(at, at + namesAtOnce);
    const queries = part.map((userName) => ({
      userNameQuery: { userName, method: 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE' as const },
    }));
    await search(client, org, { query: { limit: part.length }, queries: [{ orQuery: { queries } }] }, take);
  }
}

/** Returns how many they were. A page is about a megabyte, and is never held as a whole. */
async function search(client: Client, org: string, body: ListUsersInput, take: TakeUsers): Promise<number> {
  let count = 0;
  await client.call({
    method: 'POST',
    path: '/management/v1/users/_search',
    body,
    org,
    receive: async (blocks) => {
      count = 0;
      for await (const users of readUsers(blocks)) {
        count += users.length;
        await take(users);
      }
    },
  });
  return count;
}

async function* readUsers(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<UserV1[]> {
  try {
    for await (const item of scanJson('the list of users', blocks, { arrays: [['result']] })) {
      if (item.kind !== 'batch') continue;
      const { bytes } = item;
      yield [...parseElements(bytes)].map((user) => userV1.parse(user));
      batchMemory.release(bytes.buffer);
    }
  } catch (error) {
    refuse(error);
  }
}

/** From a captive portal or a proxy: requested once more, like an answer that broke off. */
function refuse(error: unknown): never {
  if (error instanceof NetworkFailure) throw error;
  throw new NetworkFailure('response', 'NONSENSE', "the answer is not the service's", error);
}
