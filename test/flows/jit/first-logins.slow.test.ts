/** Users of every kind of old system log in for the first time through one receiver, with the commands as they are typed. */
import { createHash, pbkdf2Sync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { expect, it, vi } from 'vitest';
import type { SourceForm } from '../../../src/records/hash-forms/form.ts';
import { builtInProfiles } from '../../../src/profiles/built-in.ts';
import type { TargetProfile } from '../../../src/wire/profile.ts';
import { sha256Form, startJitService, writeUserList } from '../../support/jit.ts';
import { isInstalled } from '../../support/local-program.ts';
import { ldapBase, startOldSystem, startSlapd } from '../../support/old-system.ts';

vi.mock(import('../../../src/workers/worker.ts'), async (original) => {
  const { startInlineWorker } = await import('../../support/inline-worker.ts');
  return { ...(await original()), startWorker: startInlineWorker };
});

/** At the lowest cost: a thousand hashes are made and checked here. */
vi.mock(import('../../../src/flows/convert/hash-plaintext.ts'), async (original) => {
  const { bcrypt } = await import('hash-wasm');
  const salt = Buffer.alloc(16, 7);
  return {
    ...(await original()),
    hashPassword: (password: string) => bcrypt({ password, salt, costFactor: 4, outputType: 'encoded' }),
  };
});

const allVerifiers = builtInProfiles.get('all-verifiers')!;
const { limits, ...hasher } = allVerifiers.passwordHasher;
const takesLowCosts: TargetProfile = {
  ...allVerifiers,
  passwordHasher: { ...hasher, limits: { ...limits, bcrypt: { minCost: 4, maxCost: 16 } } },
};

const passwordOf = (name: string): string => `Old-${name}-Secret`;

/** A system knows its own users alone; a name may come with the domain of the email. */
const isRightAt =
  (kind: string) =>
  (user: string, password: string): boolean => {
    const [name = ''] = user.split('@');
    return name.startsWith(kind) && password === passwordOf(name);
  };

/** At the lowest cost that each form allows. */
const forms: readonly ((password: string) => SourceForm)[] = [
  sha256Form,
  (password) => ({
    kind: 'digest',
    expected: createHash('sha1').update(`${password}salt`).digest('base64'),
    of: { digest: 'sha1', of: { join: ['password', { text: 'salt' }] } },
  }),
  (password) => ({
    kind: 'pbkdf2',
    digest: 'sha3-256',
    rounds: 1,
    salt: { text: 'salt' },
    key: pbkdf2Sync(password, 'salt', 1, 32, 'sha3-256').toString('base64'),
  }),
];

/** What `--verifier` takes, with its settings or its list written into `cwd`. */
const kinds: Readonly<Record<string, (cwd: string, names: readonly string[]) => Promise<string>>> = {
  async hashes(cwd, names) {
    const formOf = (name: string, at: number) => forms[at % forms.length]!(passwordOf(name));
    writeUserList(
      cwd,
      names.map((name, at) => ({ id: name, userName: name, form: formOf(name, at) })),
    );
    return 'hashes:jit.ndjson';
  },
  oidc: async (cwd) => {
    const tokenUrl = `${await startOldSystem(isRightAt('oidc'))}/token`;
    return settings(cwd, 'oidc', { tokenUrl, clientId: 'c', clientSecret: 's' });
  },
  cognito: async (cwd) => {
    const endpoint = `${await startOldSystem(isRightAt('cognito'))}/cognito`;
    return settings(cwd, 'cognito', { region: 'eu-west-1', clientId: 'c', clientSecret: 's', endpoint });
  },
  firebase: async (cwd) =>
    settings(cwd, 'firebase', { apiKey: 'k', endpoint: await startOldSystem(isRightAt('firebase')) }),
  http: async (cwd) => {
    const url = `${await startOldSystem(isRightAt('http'))}/own`;
    return settings(cwd, 'http', { url, signingKey: 'a-key-of-the-operator' });
  },
  ldap: async (cwd, names) => {
    const url = await startSlapd(Object.fromEntries(names.map((name) => [name, passwordOf(name)])));
    return settings(cwd, 'ldap', { url, dn: `uid={user},${ldapBase}` });
  },
};

function settings(cwd: string, kind: string, values: object): string {
  writeFileSync(join(cwd, `${kind}.json`), JSON.stringify(values), { mode: 0o600 });
  return `${kind}:${kind}.json`;
}

const hasSlapd = isInstalled('slapd', '-VV');
const used = Object.keys(kinds).filter((kind) => kind !== 'ldap' || hasSlapd);
const count = 240;
const users = Array.from({ length: count }, (_, n) => `${used[n % used.length]}${n}`);

it.skipIf(!hasSlapd)('slapd is here, so directories are among the old systems (needs slapd)', () => {
  expect(used).toContain('ldap');
});

it(`${count} users get in with the old password at the first try, by one step and by two, and with no other`, async () => {
  const service = await startJitService(takesLowCosts);
  const limit = pLimit(8);
  await Promise.all(users.map((name) => limit(() => service.addUser(name))));
  const verifiers: string[] = [];
  for (const kind of used) {
    const own = users.filter((name) => name.startsWith(kind));
    verifiers.push('--verifier', await kinds[kind]!(service.cwd, own));
  }
  const key = ['--signing-key-file', 'jit.key'];
  const receiver = await service.serve([...verifiers, '--any-user', ...key]);
  const setup = await service.run(['setup', '--endpoint', receiver.url, ...key]);
  expect(setup.exitCode).toBe(0);

  /** Names of the users who got in; every other one of a kind logs in by two steps. */
  const logInEach = async (names: readonly string[], password: (name: string) => string) => {
    const logIn = async (name: string): Promise<boolean> => {
      const isOneStep = users.indexOf(name) % (2 * used.length) < used.length;
      const { status } = await (isOneStep ? service.logIn : service.logInByTwoSteps)(name, password(name));
      return status === (isOneStep ? 201 : 200);
    };
    const results = await Promise.all(names.map((name) => limit(() => logIn(name))));
    return names.filter((_, at) => results[at]);
  };
  const wrong = (name: string): string => `${passwordOf(name)}!`;

  expect(await logInEach(users, wrong)).toEqual([]);
  expect(await logInEach(users, passwordOf)).toEqual(users);
  for (const kind of used) {
    const migrated = new RegExp(`"outcome":"migrated","userId":"${kind}\\d+","verifier":"${kind}"`, 'g');
    const own = users.filter((name) => name.startsWith(kind));
    expect(receiver.out().match(migrated)).toHaveLength(own.length);
  }
  expect(receiver.out()).not.toMatch(/Old-|"outcome":"failed"/);
  await receiver.stop();
  expect(await logInEach(users.slice(0, 24), wrong)).toEqual([]);
  expect(await logInEach(users, passwordOf)).toEqual(users);
}, 300_000);
