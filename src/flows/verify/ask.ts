/**
 * A person at the target and a field that no listing shows in; what the service tells of it out, by
 * the calls that it has.
 */
import type { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { authenticationMethodsResponse } from '../../wire/sign-in.ts';
import { listMetadataResponse } from '../../wire/metadata.ts';
import { listIdpLinksResponse } from '../../wire/user-grant.ts';
import { linkEntry, metadataEntry, passwordEntry } from './detail-entries.ts';
import type { DetailField } from './fields.ts';

export interface Asked {
  readonly client: Client;
  readonly org: string;
  readonly id: string;
}

/** Entries as `Expectations` takes them. Throws `ApiError`. */
export const ask: Readonly<Record<DetailField, (asked: Asked) => Promise<string[]>>> = {
  metadata: (asked) =>
    readPages(async (query) => {
      const { result } = await asked.client.call({
        ...search(`/management/v1/users/${encodeURIComponent(asked.id)}/metadata/_search`, asked, query),
        answer: listMetadataResponse,
      });
      return result.map(({ key, value }) => metadataEntry(key, value));
    }),
  links: (asked) =>
    readPages(async (query) => {
      const { result } = await asked.client.call({
        ...search(`/v2/users/${encodeURIComponent(asked.id)}/links/_search`, asked, query),
        answer: listIdpLinksResponse,
      });
      return result.map(({ idpId, userId }) => linkEntry(idpId, userId));
    }),
  password: async (asked) =>
    (await askMethods(asked)).includes('AUTHENTICATION_METHOD_TYPE_PASSWORD') ? [passwordEntry] : [],
};

/** What somebody can sign in with. Throws `ApiError`, also where the service is too old for this call. */
export async function askMethods({ client, org, id }: Asked): Promise<readonly (string | number)[]> {
  const { authMethodTypes } = await client.call({
    method: 'GET',
    path: `/v2/users/${encodeURIComponent(id)}/authentication_methods`,
    org,
    answer: authenticationMethodsResponse,
  });
  return authMethodTypes;
}

/** Whether the refusal holds for everybody: no permission, or no such call at this service. */
export function concernsAll({ status, id }: ApiError): boolean {
  if (status === 403 || status === 405 || status === 501) return true;
  // The gateway's own 404 has no id; that of a membership begins with AUTHZ.
  return status === 404 && (id === undefined || id.startsWith('AUTHZ'));
}

interface PageQuery {
  readonly offset: string;
  readonly limit: number;
}

const pageSize = 1000;

async function readPages(read: (query: PageQuery) => Promise<string[]>): Promise<string[]> {
  const entries: string[] = [];
  for (;;) {
    const page = await read({ offset: String(entries.length), limit: pageSize });
    entries.push(...page);
    if (page.length < pageSize) return entries;
  }
}

function search(path: string, { org }: Asked, query: PageQuery) {
  return { method: 'POST', path, org, body: { query }, repeat: 'safe' } as const;
}
