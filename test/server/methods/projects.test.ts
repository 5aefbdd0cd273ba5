/** Projects, their roles, grants and applications, and what else an organization has, in what no recorded call has. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type FullServer, userV1 } from '../../support/full-server.ts';

let server: FullServer;
beforeEach(async () => {
  server = createTestServer();
  const lists = {
    projects: [{ projectId: 'p', project: { name: 'P' } }],
    projectRoles: ['r', 's'].map((roleKey) => ({ projectId: 'p', roleKey, displayName: roleKey })),
    projectGrants: [{ grantId: 'g', projectGrant: { projectId: 'p', grantedOrgId: '2', roleKeys: ['r'] } }],
  };
  await server.importOrgs([
    { orgId: server.orgId, ...lists },
    { orgId: '2', org: { name: 'Two' } },
  ]);
});
const project = '/management/v1/projects/p';

it('a bulk request adds no role if two keys differ only in case', async () => {
  const roles = ['t', 'T'].map((key) => ({ key, displayName: key }));
  const answer = await server.call(`POST ${project}/roles/_bulk`, { roles });
  expect(answer).toMatchObject({ status: 409, errorId: 'V3-DKcYh' });
  expect(server.state.store.roles.by('project', 'p')).toHaveLength(2);
});

it.each([
  [{ roleKeyQuery: { roleKey: 's' } }, 0],
  [{ projectGrantIdQuery: { projectGrantId: 'g' } }, 0],
  [{ inUserIdsQuery: { userIds: ['other', 'USER'] } }, 1],
])('user grants are searched by %j', async (query, count) => {
  const user = server.users.nobody;
  await server.call(`POST /management/v1/users/${user}/grants`, { projectId: 'p', roleKeys: ['r'] });
  const queries = [JSON.parse(JSON.stringify(query).replace('USER', user))];
  const { body } = await server.call('POST /management/v1/users/grants/_search', { queries });
  expect(body.result ?? []).toHaveLength(count);
});

it.each([
  ['application', '/apps/app', 0, 2],
  ['project grant', '/grants/g', 1, 1],
  ['project', '', 0, 0],
])('deleting the %s deletes its keys and members', async (_, path, keys, members) => {
  const member = { projectId: 'p', userId: server.users.nobody, roles: ['PROJECT_OWNER'] };
  await server.importInto({
    apiApps: [{ appId: 'app', app: { projectId: 'p', name: 'A' } }],
    appKeys: [{ id: 'key', projectId: 'p', appId: 'app' }],
    projectMembers: [member],
    projectGrantMembers: [{ ...member, grantId: 'g' }],
  });
  expect((await server.call(`DELETE ${project}${path}`)).status).toBe(200);
  const { store } = server.state;
  expect(store.appKeys.size).toBe(keys);
  expect([...store.members.values()].filter(({ projectId }) => projectId === 'p')).toHaveLength(members);
});

describe('the compliance problems of an OIDC application:', () => {
  const native = {
    name: 'shop',
    responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
    grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'],
    appType: 'OIDC_APP_TYPE_NATIVE',
    authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
  };
  const spa = { ...native, appType: 'OIDC_APP_TYPE_USER_AGENT' };
  const [bad, http] = ['NotCompliant', 'http://a.example/'];

  it.each([
    ['http in a browser', spa, [http], [bad, bad, 'Code.RedirectUris.HttpOnlyForWeb']],
    [
      'http elsewhere than on its own machine',
      native,
      ['http://127.0.0.1:80/', 'http://localhost.a.example/'],
      [bad, bad, 'Native.RedirectUris.MustBeHttpLocalhost'],
    ],
    ['its own machine', native, ['http://[::1]/', 'http://localhost:3000'], []],
  ])('%s', async (_, app, redirectUris, problems) => {
    const { body } = await server.call(`POST ${project}/apps/oidc`, { ...app, redirectUris });
    const keys = problems.map((problem) => `Application.OIDC.V1.${problem}`);
    expect((body.complianceProblems ?? []).map(({ key }: { key: string }) => key)).toEqual(keys);
    expect(body.noneCompliant ?? false).toBe(problems.includes(bad));
    const [{ oidcConfig }] = (await server.call(`POST ${project}/apps/_search`, {})).body.result;
    expect(oidcConfig.complianceProblems).toEqual(body.complianceProblems);
  });
});

it('an identity provider accepts users with links only if it allows creation, each link once', async () => {
  const statuses: number[] = [];
  for (const isCreationAllowed of [false, true]) {
    const google = { clientId: 'id', clientSecret: 's3cret', providerOptions: { isCreationAllowed } };
    const { id } = (await server.call('POST /management/v1/idps/google', google)).body;
    const link = { configId: id, externalUserId: '1', displayName: 'ann' };
    for (const idps of [[link, link], [link]]) {
      const answer = await server.call('POST /management/v1/users/human/_import', userV1('ann', { idps }));
      statuses.push(answer.status);
    }
  }
  expect(statuses).toEqual([400, 400, 409, 200]);
});

it('organizations are searched by the start of a domain', async () => {
  const queries = [{ domainQuery: { domain: 'default', method: 'TEXT_QUERY_METHOD_STARTS_WITH' } }];
  const { body } = await server.call('POST /admin/v1/orgs/_search', { queries });
  expect(body.result).toMatchObject([{ id: server.orgId, primaryDomain: 'default.localhost' }]);
});
