/** A client in, everybody whom the caller may see at the target out, in pages of a thousand. */
import type { Client } from '../../api/client.ts';
import { listUsersV2Response, type ListUsersV2Input } from '../../wire/user-search.ts';

/** The service's own limit for a page. */
const pageSize = 1000;

export interface Person {
  readonly id: string;
  readonly userName: string;
}

/** Oldest first, so that people who are added meanwhile come at the end and nobody is passed over. */
export async function* listPeople(client: Client): AsyncGenerator<readonly Person[]> {
  for (let offset = 0; ; offset += pageSize) {
    const body: ListUsersV2Input = {
      query: { offset: String(offset), limit: pageSize, asc: true },
      sortingColumn: 'USER_FIELD_NAME_CREATION_DATE',
    };
    const { result } = await client.call({
      method: 'POST',
      path: '/v2/users',
      body,
      repeat: 'safe',
      answer: listUsersV2Response,
    });
    if (result.length > 0) yield result.map(({ userId, username }) => ({ id: userId, userName: username }));
    if (result.length < pageSize) return;
  }
}
