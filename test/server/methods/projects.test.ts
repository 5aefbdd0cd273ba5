/** What goes with a deleted project, grant or application. Plain calls are in `fixtures/service-calls.yaml`. */
import { expect, it } from 'vitest';
import { createTestServer } from '../../support/full-server.ts';

it.each([
  ['application', '/apps/app', 0, 2],
  ['project grant', '/grants/g', 1, 1],
  ['project', '', 0, 0],
])('deleting the %s deletes its keys and members', async (_, path, keys, members) => {
  const server = createTestServer();
  const { store } = server.state;
  const member = { projectId: 'p', userId: server.users.nobody, roles: ['PROJECT_OWNER'] };
  await server.importOrgs([{ orgId: '2', org: { name: 'Two' } }]);
  await server.importInto({
    projects: [{ projectId: 'p', project: { name: 'P' } }],
    projectGrants: [{ grantId: 'g', projectGrant: { projectId: 'p', grantedOrgId: '2' } }],
    apiApps: [{ appId: 'app', app: { projectId: 'p', name: 'A' } }],
    appKeys: [{ id: 'key', projectId: 'p', appId: 'app' }],
    projectMembers: [member],
    projectGrantMembers: [{ ...member, grantId: 'g' }],
  });
  expect((await server.call(`DELETE /management/v1/projects/p${path}`)).status).toBe(200);
  expect(store.appKeys.size).toBe(keys);
  expect([...store.members.values()].filter(({ projectId }) => projectId === 'p')).toHaveLength(members);
});
