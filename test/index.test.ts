import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  check,
  type CheckOptions,
  convert,
  type Conversion,
  type IdportEvent,
  importUsers,
  InputError,
  InterruptedError,
  serve,
  undo,
  UsageError,
  verify,
} from '../src/index.ts';
import { toFlags } from '../src/library/run.ts';
import { createTestFolder, fixture, typicalRealm as realm } from './support/folder.ts';
import { startInstance } from './support/instance.ts';
import { runProcess } from './support/process.ts';

const users = fixture('auth0/typical/users.ndjson.gz');
const passwords = fixture('auth0/typical/passwords.ndjson');

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
    [
      { provider: 'auth0', org: '1', users: [users], passwords, emailVerified: true, threads: 1 },
      [`--users=${users}`, `--passwords=${passwords}`, '--email-verified', '--threads=1'],
    ],
  ];

  it.each(conversions)('writes the same as the command: %j', async (conversion, argv) => {
    const { tally, exitCode } = await convert({ ...conversion, output: 'library.json' }, { cwd });
    const command = ['migrate', conversion.provider, '--org=1', '--output=command.json', ...argv];
    const process = await runProcess(command, { cwd });
    expect(process.exitCode).toBe(exitCode);
    expect(tally.written + tally.withNotes).toBeGreaterThan(0);
    expect(readBody('library.json')).toEqual(readBody('command.json'));
  });
});

describe('the verbs', () => {
  it('take options in camel case', () => {
    expect(
      toFlags('verify', {
        maxEmails: 10,
        idp: ['a=1', 'b=2'],
        resume: true,
        dryRun: false,
        export: false,
        org: undefined,
      }),
    ).toEqual(['--max-emails=10', '--idp=a=1', '--idp=b=2', '--resume', '--no-export']);
  });

  it('convert in one step, and accept a token option without a warning', async () => {
    const instance = await startInstance(createTestFolder(), 'library', { orgId: '1' });
    onTestFinished(() => instance.close());
    const events: IdportEvent[] = [];
    const hooks = { cwd, onEvent: (event: IdportEvent) => void events.push(event) };
    const target = { url: instance.url, token: instance.server.tokens.iamOwner };
    const source = { from: 'keycloak', realm, org: '1' } as const;
    const journal = 'run.journal';
    const imported = await importUsers(
      { ...source, ...target, journal, idMap: 'ids.csv', maxEmails: 'unlimited' },
      hooks,
    );
    const created = imported.tally!.written + imported.tally!.withNotes;
    expect(created).toBe(7);
    expect((await verify({ ...source, ...target, export: false }, hooks)).users.same).toBe(created);
    expect((await undo({ ...target, journal }, hooks)).users).toBeUndefined();
    expect((await undo({ ...target, journal, yes: created }, hooks)).users?.deleted).toBe(created);
  });

  it('throw what the command would print', async () => {
    await expect(check({ body: 'nowhere.json' }, { cwd })).rejects.toThrow(InputError);
    await expect(
      undo({ journal: 'nowhere', url: 'http://localhost:1', token: 'x' }, { cwd }),
    ).rejects.toThrow('nowhere');
    await expect(check({ body: 'a', nonsense: 1 } as unknown as CheckOptions, { cwd })).rejects.toThrow(
      UsageError,
    );
    await expect(serve({ port: 99_999 })).rejects.toThrow(UsageError);
  });

  it('stop when their signal is aborted', async () => {
    const stop = new AbortController();
    stop.abort();
    await expect(check({ from: 'keycloak', realm }, { cwd, signal: stop.signal })).rejects.toThrow(
      InterruptedError,
    );
    const server = await serve({ org: '1' });
    expect((await fetch(`${server.url}/admin/v1/healthz`)).status).toBe(200);
    await server.close();
    await expect(fetch(`${server.url}/admin/v1/healthz`)).rejects.toThrow('fetch failed');
  });
});
