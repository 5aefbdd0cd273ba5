/** Finds out whose token it is, what it may do, and which organizations it sees. */
import { get, search, type Client } from '../../api/client.ts';
import { IdportError } from '../../errors.ts';
import { getMyUserResponse, listMembershipsResponse } from '../../wire/user.ts';
import { listOrgsResponse } from '../../wire/organization.ts';

export const askUser = (client: Client) => client.call(get('/auth/v1/users/me', getMyUserResponse));

export type Identity = Awaited<ReturnType<typeof whoAmI>>;

/** Throws `ApiError` for a token that the service refuses, `token:no-user` for a response that names no user. */
export async function whoAmI(client: Client) {
  const { user } = await askUser(client);
  if (user === undefined || user.id === '') {
    throw new IdportError(
      'token:no-user',
      `${client.url}: the response names no user`,
      'Check --url: an identity service answers a valid token with its user.',
    );
  }
  const { result } = await client.call(
    search('/auth/v1/memberships/me/_search', {}, listMembershipsResponse),
  );
  return {
    userId: user.id,
    userName: user.userName,
    /** Organization of the token's user. Calls that name no organization go there. */
    orgId: user.details?.resourceOwner ?? '',
    /** Roles and where they hold: `the instance`, `organization 42`, ... */
    roles: result.map((membership) => ({ where: scopeOf(membership), roles: membership.roles })),
  };
}

function scopeOf(membership: { iam: boolean; orgId: string; projectId: string; projectGrantId: string }) {
  if (membership.iam) return 'the instance';
  if (membership.orgId !== '') return `organization ${membership.orgId}`;
  if (membership.projectId !== '') return `project ${membership.projectId}`;
  return `project grant ${membership.projectGrantId}`;
}

export type SeenTarget = Awaited<ReturnType<typeof lookAtTarget>>;

/** Throws `ApiError` if the service does not answer or refuses the credentials. */
export async function lookAtTarget(client: Client) {
  await client.call({ method: 'GET', path: '/admin/v1/healthz', anonymous: true });
  const identity = await whoAmI(client);
  const listed = await client.attempt(
    search('/admin/v1/orgs/_search', { query: { limit: 100 } }, listOrgsResponse),
  );
  // Organizations that the credentials may list; at least their own.
  const own = identity.orgId === '' ? [] : [{ id: identity.orgId, name: '' }];
  return { identity, orgs: listed.ok ? listed.value.result.map(({ id, name }) => ({ id, name })) : own };
}
