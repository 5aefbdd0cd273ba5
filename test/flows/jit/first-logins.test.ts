/** A thousand users log in for the first time, at each kind of old system, with the commands as they are typed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { describe, expect, it, vi } from 'vitest';
import { builtInProfiles } from '../../../src/profiles/built-in.ts';
import type { TargetProfile } from '../../../src/wire/profile.ts';
import { sha256Form, startJitService, writeUserList } from '../../support/jit.ts';
import { isInstalled } from '../../support/local-program.ts';
import { ldapBase, startOldSystem, startSlapd } from '../../support/old-system.ts';

vi.mock(import('../../../src/workers/worker.ts'), async (original) => {
  const { startInlineWorker } = await import('../../support/inline-worker.ts');
  return { ...(await original()), startWorker: startInlineWorker };
});

/** At the lowest cost: thousands of hashes are made and checked here. */
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
const isRight = (user: string, password: string): boolean => password === passwordOf(user.split('@')[0]!);
const namesOf = (kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${kind}${n}`);

/** What `--verifier` takes, with its settings or its list written into `cwd`. */
const kinds: Readonly<Record<string, (cwd: string, names: readonly string[]) => Promise<string[]>>> = {
  async hashes(cwd, names) {
    writeUserList(
      cwd,
      names.map((name) => ({ id: name, userName: name, form: sha256Form(passwordOf(name)) })),
    );
    return ['--verifier', 'hashes:jit.ndjson'];
  },
  oidc: async (cwd) =>
    settings(cwd, 'oidc', {
      tokenUrl: `${await startOldSystem(isRight)}/token`,
      clientId: 'c',
      clientSecret: 's',
    }),
  cognito: async (cwd) =>
    settings(cwd, 'cognito', {
      region: 'eu-west-1',
      clientId: 'c',
      clientSecret: 's',
      endpoint: `${await startOldSystem(isRight)}/cognito`,
    }),
  firebase: async (cwd) =>
    settings(cwd, 'firebase', { apiKey: 'k', endpoint: await startOldSystem(isRight) }),
  http: async (cwd) =>
    settings(cwd, 'http', {
      url: `${await startOldSystem(isRight)}/own`,
      signingKey: 'a-key-of-the-operator',
    }),
  ldap: async (cwd, names) => {
    const url = await startSlapd(Object.fromEntries(names.map((name) => [name, passwordOf(name)])));
    return settings(cwd, 'ldap', { url, dn: `uid={user},${ldapBase}` });
  },
};

function settings(cwd: string, kind: string, values: object): string[] {
  writeFileSync(join(cwd, `${kind}.json`), JSON.stringify(values), { mode: 0o600 });
  return ['--verifier', `${kind}:${kind}.json`, '--any-user'];
}

/** Of the thousand; every other one logs in by two steps. */
const share = { hashes: 500, oidc: 100, cognito: 100, firebase: 100, http: 100, ldap: 100 } as const;
const hasSlapd = isInstalled('slapd', '-VV');

describe('first logins', () => {
  it.each(Object.entries(share).filter(([kind]) => kind !== 'ldap'))(
    'with %s: %i users get in with the old password at the first try, and with no other',
    async (kind, count) => {
      expect(await logInAll(kind, count)).toHaveLength(count);
    },
    300_000,
  );

  it.skipIf(!hasSlapd)(
    `with ldap: ${share.ldap} users get in with the old password at the first try, and with no other`,
    async () => {
      expect(await logInAll('ldap', share.ldap)).toHaveLength(share.ldap);
    },
    300_000,
  );
});

/** Resolves to the users who get in without the receiver afterwards. */
async function logInAll(kind: string, count: number): Promise<string[]> {
  const service = await startJitService(takesLowCosts);
  const names = namesOf(kind, count);
  const limit = pLimit(8);
  await Promise.all(names.map((name) => limit(() => service.addUser(name))));
  const verifier = await kinds[kind]!(service.cwd, names);
  const receiver = await service.serve([...verifier, '--signing-key-file', 'jit.key']);
  const setup = await service.run(['setup', '--endpoint', receiver.url, '--signing-key-file', 'jit.key']);
  expect(setup.exitCode).toBe(0);
  const logIn = async (name: string, password: string): Promise<boolean> => {
    const isOneStep = Number(/\d+$/.exec(name)![0]) % 2 === 0;
    const { status } = await (isOneStep ? service.logIn : service.logInByTwoSteps)(name, password);
    return status === (isOneStep ? 201 : 200);
  };
  /** Names of the users who got in. */
  const logInEach = async (
    users: readonly string[],
    password: (name: string) => string,
  ): Promise<string[]> => {
    const results = await Promise.all(users.map((name) => limit(() => logIn(name, password(name)))));
    return users.filter((_, at) => results[at]);
  };
  const wrong = (name: string): string => `${passwordOf(name)}!`;
  const some = names.slice(0, 20);
  expect(await logInEach(some, wrong)).toEqual([]);
  expect(await logInEach(names, passwordOf)).toEqual(names);
  expect(receiver.out().match(/"outcome":"migrated"/g)).toHaveLength(count);
  expect(receiver.out()).not.toMatch(/Old-|"outcome":"failed"/);
  await receiver.stop();
  expect(await logInEach(some, wrong)).toEqual([]);
  return logInEach(names, passwordOf);
}
