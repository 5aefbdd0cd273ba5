import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { convert, ExitCode, UsageError, type Conversion } from '../src/index.ts';
import { createTestFolder } from './support/folder.ts';
import { runProcess } from './support/process.ts';

const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));
const realm = join(fixtures, 'keycloak/typical/realm.json');
const users = join(fixtures, 'auth0/typical/users.ndjson.gz');
const passwords = join(fixtures, 'auth0/typical/passwords.ndjson');

let cwd: string;
beforeEach(() => {
  cwd = createTestFolder();
});

function readBody(name: string): unknown {
  return JSON.parse(readFileSync(join(cwd, name), 'utf8'));
}

describe('the library', () => {
  const conversions: [Conversion, string[]][] = [
    [{ provider: 'keycloak', org: '1', realm }, [`--realm=${realm}`]],
    [
      { provider: 'keycloak', org: '1', realm: [realm], timeout: '90s', serviceAccounts: 'machine-users' },
      [`--realm=${realm}`, '--timeout=90s', '--service-accounts=machine-users'],
    ],
    [{ provider: 'auth0', org: '1', users, passwords }, [`--users=${users}`, `--passwords=${passwords}`]],
    [
      { provider: 'auth0', org: '1', users: [users], id: 'strip-prefix', emailVerified: true, threads: 1 },
      [`--users=${users}`, '--id=strip-prefix', '--email-verified', '--threads=1'],
    ],
  ];

  it.each(conversions)('writes what the command writes: %j', async (conversion, argv) => {
    const { tally, exitCode } = await convert({ ...conversion, output: 'library.json' }, { cwd });
    const command = ['migrate', conversion.provider, '--org=1', '--output=command.json', ...argv];
    const process = await runProcess(command, { cwd });
    expect(process.exitCode).toBe(exitCode);
    expect(tally.written + tally.withNotes).toBeGreaterThan(0);
    expect(readBody('library.json')).toEqual(readBody('command.json'));
  });

  it('tells of what happens as the command does, and counts', async () => {
    const types: string[] = [];
    const { exitCode, tally } = await convert(
      { provider: 'auth0', org: '1', users },
      { cwd, onEvent: ({ type }) => types.push(type) },
    );
    expect(exitCode).toBe(ExitCode.done);
    expect(tally.read).toBe(tally.written + tally.withNotes + tally.skipped);
    expect([types[0], types.at(-1)]).toEqual(['run:start', 'run:end']);
  });

  it('throws what the command would print, and leaves nothing', async () => {
    writeFileSync(join(cwd, 'cut.json'), '{"realm":"r","users":[{"username":"a"');
    await expect(convert({ provider: 'keycloak', org: '1', realm: 'cut.json' }, { cwd })).rejects.toThrow(
      /the input ends/,
    );
    expect(readdirSync(cwd)).toEqual(['cut.json']);
  });

  it('refuses a provider that it does not know', async () => {
    const conversion = { provider: 'other', org: '1' } as unknown as Conversion;
    await expect(convert(conversion, { cwd })).rejects.toThrow(UsageError);
  });
});
