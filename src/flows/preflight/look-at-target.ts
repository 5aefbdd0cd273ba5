/** Looks at a service before anything is set up: does it answer, whose credentials are these, which organizations are there? */
import { search } from '../../api/search.ts';
import type { Client } from '../../api/client.ts';
import { listOrgsResponse } from '../../wire/organization.ts';
import { whoAmI, type Identity } from './who-am-i.ts';

export interface SeenTarget {
  readonly identity: Identity;
  /** Those that the credentials may list; at least their own. */
  readonly orgs: readonly { readonly id: string; readonly name: string }[];
}

/** Throws `ApiError` where the service does not answer or refuses the credentials. */
export async function lookAtTarget(client: Client): Promise<SeenTarget> {
  await client.call({ method: 'GET', path: '/admin/v1/healthz', anonymous: true });
  const identity = await whoAmI(client);
  const listed = await client.attempt(
    search('/admin/v1/orgs/_search', { query: { limit: 100 } }, listOrgsResponse),
  );
  const own = identity.orgId === '' ? [] : [{ id: identity.orgId, name: '' }];
  return { identity, orgs: listed.ok ? listed.value.result.map(({ id, name }) => ({ id, name })) : own };
}
