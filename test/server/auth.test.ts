/** Who may call what: every method with every role, and with a caller without a role. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { standardRoles, type StandardRole } from '../../src/server/options.ts';
import { methods } from '../../src/server/methods/index.ts';
import type { Method } from '../../src/server/method.ts';
import { readProject } from '../support/folder.ts';
import { createTestServer } from '../support/full-server.ts';

const server = createTestServer();

type Roles = Readonly<Record<string, readonly StandardRole[]>>;
const { permissions, byThing }: Record<'permissions' | 'byThing', Roles> = parse(
  readProject('fixtures/permissions.yaml'),
);

const shortName = (method: Method) => method.rpc.slice(method.rpc.indexOf('.v') + 4);
const routes = methods.map((method) => [method.route, method] as const);

/** A user who is in the state that each status change needs, so that the permission is what decides. */
function userFor(name: string) {
  const needed = { ReactivateUser: 'inactive', UnlockUser: 'locked' } as const;
  const status = needed[name.split('/')[1] as keyof typeof needed] ?? 'active';
  const id = server.state.store.nextId();
  const { store } = server.state;
  store.users.put({
    ...store.users.get(server.users.nobody)!,
    id,
    userName: id,
    order: 0,
    status,
    metadata: { k: { value: 'YQ==', created: 0, changed: 0 } },
  });
  return id;
}

/** Of the instance's own making: no other user is its creator or its user. */
function makeSession() {
  const id = 's';
  const times = { created: 0, changed: 0, expires: 0 };
  server.state.store.sessions.put({ id, ...times, sequence: 1, creator: '', tokenHash: '' });
  return id;
}

function pathFor(route: string, name: string) {
  const id = userFor(name);
  const orgId = server.orgId;
  const path = route.replace('/orgs/:id', `/orgs/${orgId}`).replace(/:(?:id|userId)\b/, id);
  const filled = path
    .replace(':organizationId', orgId)
    .replace(':key', 'k')
    .replace(':grantId', 'g')
    .replace(':sessionId', makeSession());
  return name.endsWith('DeleteUserMetadata') ? `${filled}?keys=k` : filled;
}

/** Bodies that pass the field rules of methods which look at their thing only afterwards. */
const bodies: Readonly<Record<string, object>> = {
  'UserService/CreateUser': {
    organizationId: server.orgId,
    human: { profile: { givenName: 'A', familyName: 'B' }, email: { email: 'a@b.c', isVerified: true } },
  },
  'UserService/UpdateUser': { human: {} },
  'UserService/SetUserMetadata': { metadata: [{ key: 'k', value: 'YQ==' }] },
  'UserService/AddIDPLink': { idpLink: { idpId: 'i', userId: 'u' } },
  'OrganizationService/AddOrganization': { name: 'New' },
  'UserService/SetPassword': { newPassword: { password: 'Password1!' } },
};

const call = (route: string, method: Method, as: StandardRole) => {
  const name = shortName(method);
  const body = route.startsWith('GET') || route.startsWith('DELETE') ? undefined : (bodies[name] ?? {});
  return server.call(pathFor(route, name), body, { as });
};

const refusedForRights = new Set(['AUTH-5mWD2', 'AUTH-AWfge', 'AUTHZ-cdgFk']);

describe.each(routes)('the permission for %s', (route, method) => {
  const name = shortName(method);

  it.each(standardRoles)('as %s', async (role) => {
    const free = method.permission === 'authenticated' && !(name in byThing);
    const allowed = byThing[name] ?? permissions[method.permission] ?? [];
    const answer = await call(route, method, role);
    const id = answer.body.details?.[0]?.id ?? '';
    const unknown = ['AUTHZ-cdgFk', 404, 5];
    const withoutRole = name.startsWith('SessionService/') ? ['nobody', 'orgOwner'] : ['nobody'];
    const forbidden = [name in byThing ? 'AUTH-AWfge' : 'AUTH-5mWD2', 403, 7];
    const refused = withoutRole.includes(role) ? unknown : forbidden;
    const mayPass = free || role === 'iamOwner' || allowed.includes(role);
    const outcome = refusedForRights.has(id) ? [id, answer.status, answer.body.code] : 'let through';
    expect(outcome).toEqual(mayPass ? 'let through' : refused);
  });
});
