/** Searches of the service: POSTs that change nothing, and lists in pages. */
import type { Call, Client } from './client.ts';
import type { Answer } from './send.ts';

type Place = Pick<Call, 'org' | 'prepares'>;

/** The call of a search; `client.call` or `client.attempt` sends it. */
export function search<Value>(
  path: string,
  body: object,
  answer: Answer<Value>,
  place: Place = {},
): Call<Value> {
  return { method: 'POST', path, body, answer, ...place };
}

/** Entries per page; the service's own limit. */
export const pageSize = 1000;

/**
 * One page after the other; `body` has the other members of the request. Pages overlap where something is added
 * meanwhile. Throws `ApiError`.
 */
export async function* searchPages<Page extends { readonly result: readonly unknown[] }>(
  client: Client,
  path: string,
  answer: Answer<Page>,
  { body, ...place }: Place & { readonly body?: object } = {},
): AsyncGenerator<Page> {
  for (let offset = 0; ; offset += pageSize) {
    const query = { offset: String(offset), limit: pageSize, asc: true };
    const page = await client.call(search(path, { query, ...body }, answer, place));
    yield page;
    if (page.result.length < pageSize) return;
  }
}

/** All entries of all pages. Throws `ApiError`. */
export async function searchAll<Item>(
  client: Client,
  path: string,
  answer: Answer<{ readonly result: readonly Item[] }>,
  place: Place = {},
): Promise<Item[]> {
  const all: Item[] = [];
  for await (const { result } of searchPages(client, path, answer, place)) all.push(...result);
  return all;
}
