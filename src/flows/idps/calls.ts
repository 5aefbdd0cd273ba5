/** What the service knows of the identity providers of an organization. */
import type { Client } from '../../api/client.ts';
import { searchAll } from '../../api/search.ts';
import { listProvidersResponse, type ListedProvider } from '../../wire/identity-providers.ts';

export const templates = '/management/v1/idps/templates';

/** Those of the instance as well. Throws `ApiError`. */
export const listIdps = (client: Client, org: string): Promise<ListedProvider[]> =>
  searchAll(client, `${templates}/_search`, listProvidersResponse, { org });
