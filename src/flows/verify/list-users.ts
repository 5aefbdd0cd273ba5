/** An organization in, its users page by page out. */
import type { Client } from '../../api/client.ts';
import { listUsersResponse, type ListUsersInput } from '../../wire/user-search.ts';
import type { UserV1 } from '../../wire/user.ts';

/** What the service gives at most. */
export const pageSize = 1000;

/** By the time of creation, so that who comes in meanwhile stands behind. */
export async function* listUsers(client: Client, org: string): AsyncGenerator<readonly UserV1[]> {
  for (let offset = 0; ;) {
    const body: ListUsersInput = {
      query: { offset: String(offset), limit: pageSize, asc: true },
      sortingColumn: 'USER_FIELD_NAME_CREATION_DATE',
    };
    const { result } = await client.call({
      method: 'POST',
      path: '/management/v1/users/_search',
      body,
      org,
      repeat: 'safe',
      answer: listUsersResponse,
    });
    yield result;
    offset += result.length;
    if (result.length < pageSize) return;
  }
}
