/** Roles of users in projects, and their links to identity providers. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../support/reference-server.ts';

let server: TestServer;
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
  it('are given, found and rolled back', async () => {
    const { body } = await grant({ projectId: 'p', roleKeys: ['r'] });
    expect(body).toEqual({
      userGrantId: expect.any(String),
      details: {
        sequence: '1',
        creationDate: '2026-01-01T00:00:00Z',
        resourceOwner: server.orgId,
      },
    });
    expect((await search()).body.result).toEqual([
      {
        id: body.userGrantId,
        details: { ...body.details, changeDate: '2026-01-01T00:00:00Z' },
        roleKeys: ['r'],
        state: 'USER_GRANT_STATE_ACTIVE',
        userId: server.users.nobody,
        userName: 'no-role',
        displayName: 'no-role',
        preferredLoginName: 'no-role',
        userType: 'TYPE_MACHINE',
        orgId: server.orgId,
        orgName: 'Default',
        orgDomain: 'default.localhost',
        projectId: 'p',
        projectName: 'P',
        grantedOrgId: server.orgId,
        grantedOrgName: 'Default',
        grantedOrgDomain: 'default.localhost',
      },
    ]);
    const remove = `DELETE /management/v1/users/${server.users.nobody}/grants/${body.userGrantId}`;
    expect((await server.call(remove)).status).toBe(200);
    expect(await server.call(remove)).toMatchObject({
      status: 404,
      body: { details: [{ id: 'COMMAND-1My0t' }] },
    });
  });

  it.each([
    [{ userIdQuery: { userId: 'USER' } }, 1],
    [{ userIdQuery: { userId: 'other' } }, 0],
    [{ projectIdQuery: { projectId: 'p' } }, 1],
    [{ roleKeyQuery: { roleKey: 's' } }, 0],
    [{ projectGrantIdQuery: { projectGrantId: 'g' } }, 0],
    [{ inUserIdsQuery: { userIds: ['other', 'USER'] } }, 1],
  ])('are searched by %j', async (query, count) => {
    await grant({ projectId: 'p', roleKeys: ['r'] });
    const named = JSON.parse(JSON.stringify(query).replaceAll('USER', server.users.nobody));
    expect((await search([named])).body.result ?? []).toHaveLength(count);
  });

  it('in another org need a grant of the project, and only its roles', async () => {
    expect(
      (await grant({ projectId: 'p', projectGrantId: 'g', roleKeys: ['r'] }, undefined, '2')).status,
    ).toBe(200);
    expect((await grant({ projectId: 'p', roleKeys: ['s'] }, undefined, '2')).body.details[0].id).toBe(
      'COMMAND-mm9F4',
    );
    expect((await search([], '2')).body.result[0].projectGrantId).toBe('g');
  });

  it.each([
    [{ projectId: 'none' }, undefined, 400, 'COMMAND-4m9ff'],
    [{ projectId: 'p', roleKeys: ['none'] }, undefined, 400, 'COMMAND-mm9F4'],
    [{ projectId: 'p' }, 'none', 400, 'COMMAND-4f8sg'],
    [{ projectId: 'p', roleKeys: ['r'] }, undefined, 409, 'V3-DKcYh'],
  ])('%j to %s is refused with %i %s', async (body, user, status, id) => {
    await grant({ projectId: 'p', roleKeys: ['r'] });
    expect(await grant(body, user)).toMatchObject({ status, body: { details: [{ id }] } });
  });
});

describe('links', () => {
  const link = (idpLink: object, user = server.users.nobody) =>
    server.call(`POST /v2/users/${user}/links`, { idpLink });

  it('are made and found by both versions', async () => {
    expect((await link({ idpId: 'idp', userId: 'ext', userName: 'Ext' })).body.details.resourceOwner).toBe(
      server.orgId,
    );
    expect((await server.call(`POST /v2/users/${server.users.nobody}/links/_search`, {})).body).toMatchObject(
      {
        details: { totalResult: '1' },
        result: [{ idpId: 'idp', userId: 'ext', userName: 'Ext' }],
      },
    );
    expect(
      (await server.call(`POST /management/v1/users/${server.users.nobody}/idps/_search`, {})).body.result,
    ).toEqual([
      {
        userId: server.users.nobody,
        idpId: 'idp',
        idpName: 'Google',
        providedUserId: 'ext',
        providedUserName: 'Ext',
        idpType: 'IDP_TYPE_OIDC',
      },
    ]);
  });

  it('are refused for an unknown provider, an unknown user and a login that is taken', async () => {
    expect((await link({ idpId: 'no', userId: 'x' })).body.details[0].id).toBe('COMMAND-39nf2');
    expect((await link({ idpId: 'idp', userId: 'x' }, 'no')).body.details[0].id).toBe('COMMAND-vzktar7b7f');
    await link({ idpId: 'idp', userId: 'x' });
    expect(await link({ idpId: 'idp', userId: 'x' }, server.users.orgOwner)).toMatchObject({
      status: 409,
      body: { message: 'External IDP already taken (V3-DKcYh)' },
    });
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
