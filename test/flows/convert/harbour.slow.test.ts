/** Two realms as real Keycloaks exported them, with the passwords of their users: these sign in with them, and with no other. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { builtInProfiles } from '../../../src/profiles/built-in.ts';
import { verifyPassword } from '../../../src/records/mcf/recognise.ts';
import { type Converted, convertFiles } from '../../support/conversion.ts';
import { createTestServer } from '../../support/full-server.ts';
import { exportPath } from '../../support/samples.ts';

const flags = [
  '--org=1',
  '--target-profile=all-verifiers',
  '--on-refused-hash=keep',
  '--metadata=attributes',
];

const convert = (path: string, ...more: readonly string[]) =>
  convertFiles(['migrate', 'keycloak', `--realm=${exportPath(path)}`, ...flags, ...more]);

const readExport = (path: string) => JSON.parse(readFileSync(exportPath(path), 'utf8'));

it.each(['kc-26.4.7-harbour', 'kc-18.0.2-harbour'])(
  '%s: active users sign in with the old password and with no other',
  async (folder) => {
    const placeholder = ['--email-fallback=placeholder', '--email-domain=x.org'];
    const { users } = await convert(`${folder}/harbour.json`, '--email-verified', ...placeholder);
    const server = createServer();
    const imported = await server.importInto({ humanUsers: users }, { timeout: '30m' });
    expect(imported.body.success.orgs[0].humanUserIds ?? []).toHaveLength(users.length);
    const refused: string[] = [];
    const taken: string[] = [];
    const { passwords } = readExport(`${folder}/passwords.json`);
    // Of a series of users who are alike, two in ten.
    const some = Object.entries<{ password: string }>(passwords).filter(
      ([name]) => !/^(?:def|hist|\w+-)\d\d[2-9]$/.test(name),
    );
    expect(some.length).toBeGreaterThan(40);
    for (const [loginName, { password }] of some) {
      const signIn = (text: string) =>
        server.call('POST /v2/sessions', { checks: { user: { loginName }, password: { password: text } } });
      if ((await signIn(password)).status !== 201) refused.push(loginName);
      if (loginName.endsWith('0') && (await signIn(`${password}!`)).status !== 400) taken.push(loginName);
    }
    expect(taken).toEqual([]);
    // A password over 72 bytes cannot be hashed again by the service; the long name is in no body.
    const names: string[] = readExport(`${folder}/harbour.json`).users.map(
      ({ username }: { username: string }) => username,
    );
    const unknown = Object.keys(passwords).filter((name) => !names.includes(name));
    const long = names.filter((name) => name.startsWith('nnnn'));
    const out = ['disabled-unverified', 'disabled1', 'longpw', ...long, ...unknown];
    expect(refused.toSorted()).toEqual(out.toSorted());
  },
  300_000,
);

/** With the memory limit that lets hashes of Keycloak 25 and later in; it verifies for real, and hashes again cheaply. */
function createServer() {
  const profile = structuredClone(builtInProfiles.get('all-verifiers')!);
  const { limits } = profile.passwordHasher;
  const argon2 = { ...limits.argon2, minMemory: 7168 };
  return createTestServer({
    profile: { ...profile, passwordHasher: { ...profile.passwordHasher, limits: { ...limits, argon2 } } },
    verifyPassword: async (password, hash) => (await verifyPassword(hash, password)) === true,
  });
}

it('migrate keycloak of a folder written by kc.sh export --dir writes the same body as of the single file', async () => {
  const [dir, file] = await Promise.all([
    convert('kc-26.4.7-harbour/dir50'),
    convert('kc-26.4.7-harbour/harbour.json'),
  ]);
  const byId = ({ users }: Converted) => users.toSorted((a, b) => Number(a.userId > b.userId) - 0.5);
  expect(byId(dir)).toEqual(byId(file));
  expect(dir.orgs[0]?.userMetadata).toHaveLength(file.orgs[0]?.userMetadata?.length ?? 0);
  expect(dir.exitCode).toBe(file.exitCode);
});
