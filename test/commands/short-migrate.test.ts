/** `idport migrate realm.json`: the source is recognised, and the organization is that of the service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { runProgram, type Ran } from '../support/program.ts';

const fixture = (path: string): string => fileURLToPath(new URL(`../../fixtures/${path}`, import.meta.url));
const realm = fixture('keycloak/typical/realm.json');
const users = fixture('auth0/typical/users.ndjson.gz');
const passwords = fixture('auth0/typical/passwords.ndjson');

let cwd: string;
let target: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  target = await startInstance(cwd, 'target');
});
afterEach(() => target.close());

const run = (argv: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
  runProgram(argv, { cwd, env });
const service = () => ({ IDPORT_URL: target.url, IDPORT_TOKEN: target.server.tokens.iamOwner });

async function bodyOf(...argv: readonly string[]): Promise<string> {
  const { problem } = await run(['migrate', ...argv, '--output=body.json']);
  expect(problem).toBeUndefined();
  return readFileSync(join(cwd, 'body.json'), 'utf8');
}

it.each([
  [[realm], ['keycloak', `--realm=${realm}`]],
  [
    ['keycloak', realm],
    ['keycloak', `--realm=${realm}`],
  ],
  [
    [users, passwords],
    ['auth0', `--users=${users}`, `--passwords=${passwords}`],
  ],
  [
    ['--metadata', 'all', realm],
    ['keycloak', `--realm=${realm}`, '--metadata=all'],
  ],
  [[`--realm=${realm}`], ['keycloak', `--realm=${realm}`]],
])('migrate %j is migrate %j', async (short, long) => {
  expect(await bodyOf(...short, '--org=1')).toBe(await bodyOf(...long, '--org=1'));
});

it.each([
  [['nowhere.json'], 'nowhere.json: there is no such file'],
  [['abacus'], "unknown command 'abacus'"],
  [[passwords], 'only adds to an export of users of Auth0'],
  [['target.token'], 'target.token does not show which system it is of'],
  [['--realm=target.token'], 'target.token does not show which system it is of'],
  [['keycloak', '--metadata=all'], 'keycloak needs --realm <path> or --database <url>'],
])('migrate %j says what is wrong', async (argv, message) => {
  expect((await run(['migrate', ...argv, '--org=1'])).problem?.message).toContain(message);
});

it('without --org users go to the only organization of the service, and from a body to those that it names', async () => {
  const { problem, events } = await run(['migrate', realm], service());
  expect(problem).toBeUndefined();
  expect(events).toContainEqual(expect.objectContaining({ code: 'org:chosen' }));
  expect(readFileSync(join(cwd, 'importBody.json'), 'utf8')).toContain(`"orgId":"${target.server.orgId}"`);
  const dry = ['--dry-run', '--max-emails=unlimited'];
  const body = await run(['import-users', 'importBody.json', ...dry], service());
  const direct = await run(['import-users', '--from=keycloak', `--realm=${realm}`, ...dry], service());
  const checked = await run(['check', '--from=keycloak', `--realm=${realm}`], service());
  const verified = await run(['verify', '--from=keycloak', `--realm=${realm}`], service());
  const idps = await run(['create-idps', realm, '--dry-run'], service());
  for (const ran of [direct, checked, verified, idps]) {
    expect(ran.problem).toBeUndefined();
    expect(ran.events).toContainEqual(expect.objectContaining({ code: 'org:chosen' }));
  }
  expect(body.problem).toBeUndefined();
});

it('without --org and without a service, or at one with two organizations, --org is asked for', async () => {
  expect((await run(['migrate', realm])).problem?.message).toBe('--org <id> is missing');
  expect((await run(['migrate', realm])).problem?.hint).toContain('IDPORT_URL');
  await target.server.seed({ dataOrgs: { orgs: [{ orgId: '77', org: { name: 'Second' } }] } });
  const { problem } = await run(['migrate', realm], service());
  expect(problem?.message).toBe(`--org <id> is missing: ${target.url} has 2 organizations`);
  expect(problem?.hint).toContain('77 (Second)');
});
