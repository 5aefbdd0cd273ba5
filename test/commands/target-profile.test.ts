/** One rule chooses the target profile in every verb, and it is said first. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createReferenceServer } from '../../src/server/index.ts';
import { codesOf, eventOf, textsOf } from '../support/events.ts';
import { createTestFolder } from '../support/folder.ts';
import { createHastyClock } from '../support/clock.ts';
import { startInstance } from '../support/instance.ts';
import { runProgram, type Ran } from '../support/program.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

const pbkdf2 = '$pbkdf2-sha256$27500$c2FsdHNhbHRzYWx0c2FsdA==$' + 'A'.repeat(43) + '=';
let cwd: string;
beforeEach(() => {
  cwd = createTestFolder();
  const users = ['ann', 'bob'].map((name) => sampleUser(name, { hashedPassword: { value: pbkdf2 } }));
  writeFileSync(join(cwd, 'body.json'), bodyOf('1', users));
  const credentials = [
    {
      type: 'password',
      secretData: JSON.stringify({ value: 'A'.repeat(43) + '=', salt: 'c2FsdHNhbHRzYWx0c2FsdA==' }),
      credentialData: JSON.stringify({ hashIterations: 27500, algorithm: 'pbkdf2-sha256' }),
    },
  ];
  const user = { id: '1', username: 'ann', email: 'a@example.com', emailVerified: true, enabled: true };
  writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ realm: 'r', users: [{ ...user, credentials }] }));
});

const realm = ['--realm=realm.json', '--org=1'];
const twice = ['--token-file=a', '--key-file=b'];

const verbs: Readonly<Record<string, readonly string[]>> = {
  migrate: ['migrate', 'keycloak', ...realm],
  check: ['check', 'body.json'],
  import: ['import', 'body.json', '--dry-run'],
  // Two kinds of credentials are refused before anything is sent.
  'import-users': ['import-users', 'body.json', '--org=1', ...twice],
  verify: ['verify', 'body.json', ...twice],
  copy: ['copy', '--from-url=http://127.0.0.1:1', '--from-token-file=a', '--from-key-file=b'],
};
const names = Object.keys(verbs);

async function chosen(
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<string | undefined> {
  const ran = await runProgram(argv, { cwd, env, clock: createHastyClock() });
  const [first] = codesOf(ran).filter((code) => code !== 'config:used');
  return first === 'profile:chosen' ? textsOf(ran, first)[0] : undefined;
}

describe.each(names)('%s', (verb) => {
  const argv = verbs[verb] ?? [];
  const at = (url: string): Record<string, string> =>
    verb === 'copy' ? {} : { IDPORT_URL: url, IDPORT_TOKEN: 't' };
  const to = (url: string): string[] => (verb === 'copy' ? [`--to-url=${url}`] : []);

  it.each([
    ['https://acme.zitadel.cloud', 'hosted', 'acme.zitadel.cloud is a host of the vendor'],
    ['http://127.0.0.1:9', 'self-hosted', '127.0.0.1 is not a host of the vendor'],
  ])('says first which profile %s has, and why', async (url, profile, reason) => {
    const text = await chosen([...argv, ...to(url)], at(url));
    expect(text).toBe(`Target profile ${profile}, because ${reason}. Choose another with --target-profile.`);
  });

  it('takes all-verifiers only where it is named', async () => {
    const url = 'http://127.0.0.1:9';
    const text = await chosen([...argv, ...to(url), '--target-profile=all-verifiers'], at(url));
    expect(text).toBe('Target profile all-verifiers, set with target-profile.');
  });
});

const tallyOf = (ran: Ran) => eventOf(ran, 'run:end').tally;

describe('hashes that a default installation refuses', () => {
  it.each([
    ['of a body, whose users the service would refuse', ['body.json'], [4, 2]],
    ['of a body, unless a profile is named', ['body.json', '--target-profile=all-verifiers'], [0, 0]],
    ['of an export', ['--from=keycloak', '--realm=realm.json', '--max-emails=unlimited'], [4, 1]],
  ])('are rejected by check %s', async (_, argv, expected) => {
    const ran = await runProgram(['check', ...argv], { cwd });
    expect([ran.exitCode, tallyOf(ran).rejected]).toEqual(expected);
  });

  it('stay in the body that migrate writes, unless a profile is named', async () => {
    const kept = await runProgram(verbs['migrate'] ?? [], { cwd });
    expect(Object.fromEntries(tallyOf(kept).passwords)).toEqual({ 'pbkdf2-sha256': 1 });
    expect(tallyOf(kept).refusals.size).toBe(1);
    const dropped = await runProgram([...(verbs['migrate'] ?? []), '--target-profile=self-hosted'], { cwd });
    expect(Object.fromEntries(tallyOf(dropped).passwords)).toEqual({ none: 1 });
  });
});

it('import-users says whose hashes it sends although the profile, which was not named, refuses them', async () => {
  const instance = await startInstance(cwd, 'target', { orgId: '1' });
  const argv = ['import-users', '--from=keycloak', ...realm, ...instance.flags, '--dry-run'];
  const unsure = async (...flags: string[]): Promise<string[]> =>
    textsOf(await runProgram([...argv, ...flags], { cwd }), 'hash:unsure');
  expect(await unsure()).toEqual([
    expect.stringContaining('of 1 user are sent although the profile self-hosted'),
  ]);
  expect(await unsure('--target-profile=all-verifiers')).toEqual([]);
  await instance.close();
});

it('idport serve tells its profile and its rate, so that the time is forecast before the first call', async () => {
  const forecast = async (...flags: string[]): Promise<string[]> => {
    const ran = await runProgram(['import-users', 'body.json', '--dry-run', '--org=1', ...flags], { cwd });
    return [...textsOf(ran, 'profile:chosen'), ...textsOf(ran, 'import:quote')];
  };
  const serve = async (options: { tellProfile?: boolean; rate?: number }): Promise<string[]> => {
    const server = createReferenceServer({ orgId: '1', ...options });
    const { url } = await server.listen();
    writeFileSync(join(cwd, 'token'), server.tokens.iamOwner, { mode: 0o600 });
    const told = await forecast(`--url=${url}`, '--token-file=token');
    await server.close();
    return told;
  };
  const hosted = /^Target profile hosted, because 127\.0\.0\.1 is idport serve with that profile/;
  expect(await serve({ tellProfile: true })).toEqual([
    expect.stringMatching(hosted),
    expect.stringMatching(/ at 45\/s/),
  ]);
  expect(await serve({ tellProfile: true, rate: 10 })).toEqual([
    expect.stringMatching(hosted),
    expect.stringMatching(/ at 9\/s/),
  ]);
  // As any other service, which knows no such path.
  expect(await serve({})).toEqual([
    expect.stringContaining('self-hosted'),
    expect.stringContaining('as fast as the service answers'),
  ]);
});
