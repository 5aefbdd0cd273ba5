/** Import and undo, round after round: what a removed organization or project has left taken is in no user's way. */
import { expect, it } from 'vitest';
import { deriveOrgId, deriveProjectId } from '../../src/records/resource.ts';
import { openWorkspace, succeeded } from '../support/workspace.ts';
import { projectLists, sampleUser } from '../support/users-run.ts';

const orgId = deriveOrgId('Acme');
const projectId = deriveProjectId(orgId, 'Harbour');
const app = {
  projectId,
  name: 'web',
  redirectUris: ['https://acme.example/cb'],
  responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
  grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'],
  appType: 'OIDC_APP_TYPE_WEB',
  authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC',
};
const acme = (id: string, name: string) => ({
  orgId: id,
  org: { name },
  ...projectLists(projectId, 'admin', 'old-ann'),
  oidcApps: [{ appId: 'app-1', app }],
  humanUsers: ['ann', 'bob'].map((user) => sampleUser(user)),
  userMetadata: [{ id: 'old-ann', key: 'k', value: 'dg==' }],
});

it.each([
  ['import body.json', '', orgId, 'Acme'],
  ['import body.json', '', '4711', 'Of another program'],
  ['import-users body.json --org=body --max-emails=unlimited', '.users', orgId, 'Acme'],
])('%s and undo leave the same state in each of three rounds (%s)', async (line, of, id, name) => {
  const workspace = await openWorkspace();
  const { store } = workspace.server.state;
  const shape = () => ({
    orgs: Array.from(store.orgs.values(), (org) => org.name).filter((org) => org === name),
    users: workspace.humans().map((user) => {
      const [row] = store.users.by('name', user);
      return `${user} ${store.orgs.get(row!.orgId)?.name}`;
    }),
    projects: [...store.projects.values()].filter(({ project }) => project.name === 'Harbour').length,
    roles: [...store.roles.values()].filter(({ role }) => role.roleKey === 'admin').length,
    apps: [...store.apps.values()].filter((each) => JSON.stringify(each).includes('acme.example')).length,
    grants: store.userGrants.size,
  });
  const parts = (count: number) => ({ projects: count, roles: count, apps: count, grants: count });
  for (let round = 1; round <= 3; round++) {
    workspace.write('body.json', { dataOrgs: { orgs: [acme(id, name)] }, timeout: '30m0s' });
    await succeeded(workspace.run(`${line} --app-secrets=secrets-${round}.csv`));
    expect(shape()).toEqual({ orgs: [name], users: [`ann ${name}`, `bob ${name}`], ...parts(1) });
    await succeeded(workspace.run(`undo --journal=body.json${of}.journal --yes=2`));
    expect(shape()).toEqual({ orgs: [], users: [], ...parts(0) });
  }
});
