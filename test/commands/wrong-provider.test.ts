/** A file of another provider stops every verb that reads users, before it writes or sends anything. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/workspace.ts';
import { foreignExports } from '../support/foreign-exports.ts';
import { readProject } from '../support/folder.ts';

const env = { IDPORT_URL: 'http://127.0.0.1:1', IDPORT_TOKEN: 'x' };
const foreign = (own: string) => foreignExports.filter(({ provider }) => provider !== own);

async function refused(line: string, text: string, stdin = '') {
  const { cwd, write, run } = openFolder();
  write('export(1)', text);
  const { exitCode, problem } = await run(line, { env, stdin });
  expect(exitCode).toBe(2);
  expect(problem?.message).toMatch(/ looks like (?:an|the table \w+ beside the users in an) /);
  expect(problem?.hint).toContain('--force-provider');
  expect(readdirSync(cwd)).toEqual(['export(1)']);
  return problem?.hint ?? '';
}

describe('migrate of a file of another provider', () => {
  it.each(foreign('auth0'))('auth0 refuses $name', async ({ provider, text }) => {
    expect(await refused('migrate auth0 --org=1 --users=export(1)', text)).toContain(
      provider === 'keycloak' ? "`idport migrate keycloak --realm='export(1)'`" : 'idport ',
    );
  });

  it.each(foreign('auth0'))('auth0 refuses $name on standard input', async ({ text }) => {
    expect(await refused('migrate auth0 --org=1 --users=-', '', text)).not.toBe('');
  });

  it.each([
    ['laravel', 'devise/otp.jsonl', "`idport migrate devise --users=<users> --table='otp=export(1)'`"],
    [
      'auth0',
      'appwrite/identities.json',
      "`idport migrate appwrite --users=<users> --table='identities=export(1)'`",
    ],
    ['appwrite', 'appwrite/identities.json', "--table='identities=export(1)'"],
  ])('%s refuses %s, which only adds to users', async (own, file, command) => {
    const text = readProject(`fixtures/${file}`);
    expect(await refused(`migrate ${own} --org=1 --users=export(1)`, text)).toContain(command);
  });

  it('accepts the file with --force-provider', async () => {
    const { write, run } = openFolder();
    write('export', foreign('auth0')[0]?.text ?? '');
    const ran = await run('migrate auth0 --org=1 --users=export --force-provider');
    expect(ran.problem?.hint ?? '').not.toContain('--force-provider');
  });
});

const keycloak = foreignExports.find(({ provider }) => provider === 'keycloak')?.text ?? '';

it.each(['check', 'import-users --org=1', 'verify --org=1'])(
  '%s --from refuses a file of another provider',
  async (verb) => {
    expect(await refused(`${verb} --from=auth0 --users=export(1)`, keycloak)).toContain(
      "Pass --from=keycloak --realm='export(1)' instead.",
    );
  },
);

it.each(['check', 'import-users --org=1', 'verify', 'import'])(
  '%s of a body refuses a file of another provider',
  async (verb) => {
    expect(await refused(`${verb} export(1)`, keycloak)).toContain("keycloak --realm='export(1)'");
  },
);
