/** What the service knows of the identity providers of an organization. */
import type { Client } from '../../api/client.ts';
import { listProvidersResponse, type ListedProvider } from '../../wire/identity-providers.ts';

const pageSize = 1000;
export const templates = '/management/v1/idps/templates';

/** Those of the instance as well. Throws `ApiError`. */
export async function listIdps(client: Client, org: string): Promise<ListedProvider[]> {
  const all: ListedProvider[] = [];
  for (;;) {
    const { result } = await client.call({
      method: 'POST',
      path: `${templates}/_search`,
      org,
      body: { query: { offset: String(all.length), limit: pageSize, asc: true } },
      repeat: 'safe',
      answer: listProvidersResponse,
    });
    all.push(...result);
    if (result.length < pageSize) return all;
  }
}
