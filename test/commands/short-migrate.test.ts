/** `idport migrate realm.json`: the source is recognised, and the organization is that of the service. */
import { beforeEach, expect, it } from 'vitest';
import { codesOf, type Workspace, openWorkspace, succeeded } from '../support/workspace.ts';
import { fixture, typicalRealm as realm } from '../support/folder.ts';

const users = fixture('auth0/typical/users.ndjson.gz');
const passwords = fixture('auth0/typical/passwords.ndjson');

let workspace: Workspace;
beforeEach(async () => {
  workspace = await openWorkspace();
  workspace.write('target.token', workspace.server.tokens.iamOwner);
  workspace.write('users.dump', 'PGDMP\u0001');
});

async function bodyOf(words: string) {
  await succeeded(workspace.runAlone(`migrate ${words} --org=1 --output=body.json`));
  return workspace.read('body.json');
}

it.each([
  [realm, `keycloak --realm=${realm}`],
  [`keycloak ${realm}`, `keycloak --realm=${realm}`],
  [`${users} ${passwords}`, `auth0 --users=${users} --passwords=${passwords}`],
  [`--metadata all ${realm}`, `keycloak --realm=${realm} --metadata=all`],
  [`--realm=${realm}`, `keycloak --realm=${realm}`],
])('migrate %s equals migrate %s', async (short, long) => {
  expect(await bodyOf(short)).toBe(await bodyOf(long));
});

it.each([
  ['nowhere.json', 'nowhere.json: there is no such file'],
  ['abacus', "unknown command 'abacus'"],
  [`${realm} extra`, 'extra: there is no such file'],
  [`keycloak ${realm} -- --org=1`, '--org=1: there is no such file'],
  [passwords, 'only adds to an export of users of Auth0'],
  ['target.token', 'target.token does not show which system it is from'],
  ['users.dump', 'users.dump: it is a dump in the custom format of pg_dump'],
  [`${realm} --metadta=all`, "unknown option '--metadta'"],
  ['keycloak --metadata=all', 'keycloak needs --realm <path> or --database <url>'],
])('migrate %s reports what is wrong', async (words, message) => {
  expect((await workspace.runAlone(`migrate ${words} --org=1`)).problem?.message).toContain(message);
});

it('without --org, users go to the only organization of the service, or to those that a body names', async () => {
  const source = `--from=keycloak --realm=${realm}`;
  const dry = '--dry-run --max-emails=unlimited';
  for (const line of [
    `migrate ${realm}`,
    `import-users ${source} ${dry}`,
    `check ${source}`,
    `verify ${source}`,
    `create-idps ${realm} --dry-run`,
  ]) {
    const ran = await workspace.run(line);
    expect(ran.problem).toBeUndefined();
    expect(codesOf(ran)).toContain('org:chosen');
  }
  expect(workspace.read('importBody.json')).toContain(`"orgId":"${workspace.server.orgId}"`);
  await succeeded(workspace.run(`import-users importBody.json ${dry}`));
});

it('without --org, migrate refuses if there is no service or it has two organizations', async () => {
  const alone = await workspace.runAlone(`migrate ${realm}`);
  expect(alone.problem?.message).toBe('--org <id> is missing');
  expect(alone.problem?.hint).toContain('IDPORT_URL');
  const refused = await workspace.runAlone(`migrate ${realm}`, {
    env: { IDPORT_URL: workspace.url, IDPORT_TOKEN: 'old' },
  });
  expect(refused.problem?.hint).toMatch(/^Pass --org=<id>/);
  await workspace.server.seed({ dataOrgs: { orgs: [{ orgId: '77', org: { name: 'Second' } }] } });
  const { problem } = await workspace.run(`migrate ${realm}`);
  expect(problem?.message).toBe(
    `--org <id> is missing, and the token sees 2 organizations at ${workspace.url}`,
  );
  expect(problem?.hint).toContain('77 (Second)');
});
