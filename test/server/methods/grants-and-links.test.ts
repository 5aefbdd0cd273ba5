/** Roles of users in projects, and their links to identity providers. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
beforeEach(async () => {
  server = createTestServer();
  const orgs = [
    {
      orgId: server.orgId,
      projects: [{ projectId: 'p', project: { name: 'P' } }],
      projectRoles: ['r', 's'].map((roleKey) => ({ projectId: 'p', roleKey, displayName: roleKey })),
      projectGrants: [{ grantId: 'g', projectGrant: { projectId: 'p', grantedOrgId: '2', roleKeys: ['r'] } }],
      oidcIdps: [{ idpId: 'idp', idp: { name: 'Google', clientId: 'c', clientSecret: 's', issuer: 'i' } }],
    },
    { orgId: '2', org: { name: 'Two' } },
  ];
  await server.call('POST /admin/v1/import', { dataOrgs: { orgs }, timeout: '1m' });
});

const grant = (body: object, user = server.users.nobody, orgId = server.orgId) =>
  server.call(`POST /management/v1/users/${user}/grants`, body, { orgId });
const search = (queries: object[] = [], orgId = server.orgId) =>
  server.call('POST /management/v1/users/grants/_search', { queries }, { orgId });

it.each([[['R']], [['t', 'T']]])('roles of a project are unique in any case: %j', async (keys) => {
  const roles = keys.map((key) => ({ key, displayName: key }));
  const answer = await server.call('POST /management/v1/projects/p/roles/_bulk', { roles });
  expect(answer).toMatchObject({ status: 409, body: { details: [{ id: 'V3-DKcYh' }] } });
});

describe('grants', () => {
  it.each([
    [{ roleKeyQuery: { roleKey: 's' } }, 0],
    [{ projectGrantIdQuery: { projectGrantId: 'g' } }, 0],
    [{ inUserIdsQuery: { userIds: ['other', 'USER'] } }, 1],
  ])('are searched by %j', async (query, count) => {
    await grant({ projectId: 'p', roleKeys: ['r'] });
    const named = JSON.parse(JSON.stringify(query).replaceAll('USER', server.users.nobody));
    expect((await search([named])).body.result ?? []).toHaveLength(count);
  });
});

it.each([
  ['application', 'p/apps/app', 0, 2],
  ['project grant', 'p/grants/g', 1, 1],
  ['project', 'p', 0, 0],
])('a removed %s takes its keys and members along', async (_, path, keys, members) => {
  const member = { projectId: 'p', userId: server.users.nobody, roles: ['PROJECT_OWNER'] };
  const org = {
    orgId: server.orgId,
    apiApps: [{ appId: 'app', app: { projectId: 'p', name: 'A' } }],
    appKeys: [{ id: 'key', projectId: 'p', appId: 'app' }],
    projectMembers: [member],
    projectGrantMembers: [{ ...member, grantId: 'g' }],
  };
  await server.call('POST /admin/v1/import', { dataOrgs: { orgs: [org] }, timeout: '1m' });
  expect((await server.call(`DELETE /management/v1/projects/${path}`)).status).toBe(200);
  const { store } = server.state;
  expect(store.appKeys.size).toBe(keys);
  expect([...store.members.values()].filter(({ projectId }) => projectId === 'p')).toHaveLength(members);
});
