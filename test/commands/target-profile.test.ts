/** One rule chooses the target profile in every verb, and it is said first. */
import { beforeEach, describe, expect, it } from 'vitest';
import {
  codesOf,
  eventOf,
  textsOf,
  type Ran,
  type Folder,
  openWorkspace,
  openFolder,
} from '../support/workspace.ts';
import { keycloakUser, realmOf } from '../support/conversion.ts';
import { createHastyClock } from '../support/clock.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

const pbkdf2 = '$pbkdf2-sha256$27500$c2FsdHNhbHRzYWx0c2FsdA==$' + 'A'.repeat(43) + '=';
let folder: Folder;
beforeEach(() => {
  folder = openFolder();
  const users = ['ann', 'bob'].map((name) => sampleUser(name, { hashedPassword: { value: pbkdf2 } }));
  folder.write('body.json', bodyOf('1', users));
  const credentials = [
    {
      type: 'password',
      secretData: JSON.stringify({ value: 'A'.repeat(43) + '=', salt: 'c2FsdHNhbHRzYWx0c2FsdA==' }),
      credentialData: JSON.stringify({ hashIterations: 27500, algorithm: 'pbkdf2-sha256' }),
    },
  ];
  folder.write('realm.json', realmOf(keycloakUser('ann', { credentials })));
});

const migrate = 'migrate keycloak --realm=realm.json --org=1';
const verbs = {
  migrate,
  check: 'check body.json',
  import: 'import body.json --dry-run',
  // Two kinds of credentials are refused before anything is sent.
  'import-users': 'import-users body.json --org=1 --token-file=a --key-file=b',
  verify: 'verify body.json --token-file=a --key-file=b',
  copy: 'copy --from-url=http://127.0.0.1:1 --from-token-file=a --from-key-file=b',
};

async function chosen(line: string, env: Record<string, string>) {
  const ran = await folder.run(line, { env, clock: createHastyClock() });
  const [first] = codesOf(ran).filter((code) => code !== 'config:used');
  return first === 'profile:chosen' ? textsOf(ran, first)[0] : undefined;
}

describe.each(Object.entries(verbs))('%s', (verb, line) => {
  const at = (url: string): Record<string, string> =>
    verb === 'copy' ? {} : { IDPORT_URL: url, IDPORT_TOKEN: 't' };
  const to = (url: string) => (verb === 'copy' ? `--to-url=${url}` : '');

  it.each([
    ['https://acme.zitadel.cloud', 'hosted', 'acme.zitadel.cloud is a host of the vendor'],
    ['http://127.0.0.1:9', 'self-hosted', '127.0.0.1 is not a host of the vendor'],
  ])('reports first which profile %s has, and why', async (url, profile, reason) => {
    const text = await chosen(`${line} ${to(url)}`, at(url));
    expect(text).toBe(`Target profile ${profile}, because ${reason}. Choose another with --target-profile.`);
  });

  it('uses all-verifiers only if it is named', async () => {
    const url = 'http://127.0.0.1:9';
    const text = await chosen(`${line} ${to(url)} --target-profile=all-verifiers`, at(url));
    expect(text).toBe('Target profile all-verifiers (--target-profile).');
  });
});

const tallyOf = (ran: Ran) => eventOf(ran, 'run:end').tally;

it('hashes that a default installation refuses stay in the body of migrate unless a profile is named', async () => {
  const kept = await folder.run(migrate);
  expect(Object.fromEntries(tallyOf(kept).passwords)).toEqual({ 'pbkdf2-sha256': 1 });
  expect(tallyOf(kept).refusals.size).toBe(1);
  const dropped = await folder.run(`${migrate} --target-profile=self-hosted`);
  expect(Object.fromEntries(tallyOf(dropped).passwords)).toEqual({ none: 1 });
});

it('import-users reports hashes that it sends although the assumed profile refuses them', async () => {
  const workspace = await openWorkspace({ orgId: '1' });
  const line = 'import-users --from=keycloak --realm=realm.json --org=1 --dry-run';
  const unsure = async (flags = '') =>
    textsOf(await workspace.run(`${line} ${flags}`, { cwd: folder.cwd }), 'hash:unsure');
  expect(await unsure()).toEqual([
    expect.stringContaining('1 user counts as able to sign in, although the profile self-hosted'),
  ]);
  expect(await unsure('--target-profile=all-verifiers')).toEqual([]);
});

it('idport serve reveals its profile and rate, so that verbs forecast the time', async () => {
  const serve = async (options: { tellProfile?: boolean; rate?: number }) => {
    const workspace = await openWorkspace({ orgId: '1', profile: 'hosted', rate: undefined, ...options });
    const ran = await workspace.run('import-users body.json --dry-run --org=1', { cwd: folder.cwd });
    const told = textsOf(ran, 'profile:chosen');
    // A verb that sends nothing is told as well.
    const migrated = await workspace.run('migrate keycloak --realm=realm.json --org=1', { cwd: folder.cwd });
    expect(textsOf(migrated, 'profile:chosen')).toEqual(told);
    return [...told, ...textsOf(ran, 'import:quote')];
  };
  const hosted = /^Target profile hosted, because 127\.0\.0\.1 is idport serve with that profile/;
  expect(await serve({ tellProfile: true })).toEqual([hosted, / at 45\/s/]);
  expect(await serve({ tellProfile: true, rate: 10 })).toEqual([hosted, / at 9\/s/]);
  // As any other service, which knows no such path.
  expect(await serve({})).toEqual([
    expect.stringContaining('self-hosted'),
    expect.stringContaining('as fast as the service answers'),
  ]);
});
