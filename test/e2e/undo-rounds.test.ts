/** Import and undo, round after round: what a removed organization or project has left taken is in no user's way. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { deriveOrgId } from '../../src/records/organization.ts';
import { deriveProjectId } from '../../src/records/role.ts';
import { createTestFolder } from '../support/folder.ts';
import { startInstance } from '../support/instance.ts';
import { runProgram, type Ran } from '../support/program.ts';
import { sampleUser } from '../support/users-run.ts';

/** For the message of a test that fails. */
const textsOf = ({ events, problem }: Ran): unknown => [
  problem,
  ...events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])),
];

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
  projects: [{ projectId, project: { name: 'Harbour' } }],
  projectRoles: [{ projectId, roleKey: 'admin', displayName: 'Admin' }],
  oidcApps: [{ appId: 'app-1', app }],
  humanUsers: ['ann', 'bob'].map((user) => sampleUser(user)),
  userMetadata: [{ id: 'old-ann', key: 'k', value: 'dg==' }],
  userGrants: [{ userId: 'old-ann', projectId, roleKeys: ['admin'] }],
});

it.each([
  ['import', [], orgId, 'Acme'],
  ['import', [], '4711', 'Of another program'],
  ['import-users', ['--org=body', '--max-emails=unlimited'], orgId, 'Acme'],
])(
  '%s %s: three rounds leave the same each time, and nothing after undo (%s)',
  async (verb, flags, id, name) => {
    const cwd = createTestFolder();
    const instance = await startInstance(createTestFolder(), 'rounds');
    onTestFinished(() => instance.close());
    const { store } = instance.server.state;
    const run = (...argv: string[]) => runProgram([...argv, ...instance.flags], { cwd });
    const shape = () => ({
      orgs: Array.from(store.orgs.values(), (org) => org.name).filter((org) => org === name),
      users: [...store.users.values()]
        .filter(({ kind }) => kind === 'human')
        .map(({ userName, orgId: of }) => `${userName} ${store.orgs.get(of)?.name}`)
        .toSorted(),
      projects: Array.from(store.projects.values(), ({ project }) => project.name).filter(
        (one) => one === 'Harbour',
      ),
      roles: Array.from(store.roles.values(), ({ role }) => role.roleKey).filter((key) => key === 'admin'),
      apps: [...store.apps.values()].filter((each) => JSON.stringify(each).includes('acme.example')).length,
      grants: [...store.userGrants.values()].length,
    });
    const empty = { orgs: [], users: [], projects: [], roles: [], apps: 0, grants: 0 };
    const whole = {
      orgs: [name],
      users: [`ann ${name}`, `bob ${name}`],
      projects: ['Harbour'],
      roles: ['admin'],
      apps: 1,
      grants: 1,
    };
    for (let round = 1; round <= 3; round++) {
      writeFileSync(
        join(cwd, 'body.json'),
        JSON.stringify({ dataOrgs: { orgs: [acme(id, name)] }, timeout: '30m0s' }),
      );
      const secrets = `--app-secrets=secrets-${round}.csv`;
      const imported = await run(verb, 'body.json', ...flags, secrets);
      expect([round, imported.exitCode, textsOf(imported)]).toEqual([round, 0, expect.anything()]);
      expect(shape()).toEqual(whole);
      const journal = readdirSync(cwd).find((file) => file.endsWith('.journal'))!;
      const undone = await run('undo', `--journal=${journal}`, '--yes=2');
      expect([round, undone.exitCode, textsOf(undone)]).toEqual([round, 0, expect.anything()]);
      expect(shape()).toEqual(empty);
    }
  },
);
