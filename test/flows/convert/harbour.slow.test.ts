/**
 * Two realms as real Keycloaks exported them, with the passwords of their users: every user accounted for, field by
 * field, as the export and `support/harbour.ts` say.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { builtInProfiles } from '../../../src/profiles/built-in.ts';
import { verifyPassword } from '../../../src/records/mcf/recognise.ts';
import { type Converted, convertFiles } from '../../support/conversion.ts';
import { expectedOf, harbour18, harbour26, type HarbourUser, leftOut } from '../../support/harbour.ts';
import { createTestServer } from '../../support/full-server.ts';
import { exportPath } from '../../support/samples.ts';

interface RawUser {
  readonly id: string;
  readonly username: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly enabled: boolean;
  readonly credentials: readonly { type: string; secretData: string; credentialData: string }[];
}

const profile = '--target-profile=all-verifiers';
const flags = ['--org=1', profile, '--on-refused-hash=keep', '--metadata=attributes'];
const idps = ['--idp=google=11', '--idp=github=22'];

/** With codes by user name. */
async function convert(
  path: string,
  ...more: readonly string[]
): Promise<Converted & { codes: ReadonlyMap<string, readonly string[]> }> {
  const ran = await convertFiles([
    'migrate',
    'keycloak',
    `--realm=${path}`,
    ...flags,
    '--report=r.json',
    ...more,
  ]);
  const { users } = ran.json('r.json') as { users: { userName: string; reasons: { code: string }[] }[] };
  const distinct = (reasons: readonly { code: string }[]) => [...new Set(reasons.map(({ code }) => code))];
  const codes = new Map(users.map(({ userName, reasons }) => [userName, distinct(reasons).toSorted()]));
  return { ...ran, codes };
}

const parse = (text: string): Record<string, any> => JSON.parse(text) as Record<string, any>;
const bare = (base64: string) => base64.replace(/=+$/, '');

/** As passwords are written for the target: not with the code that is tested. */
function mcfOf({ secretData, credentialData }: RawUser['credentials'][number]) {
  const { value, salt } = parse(secretData);
  const { algorithm, hashIterations: rounds, additionalParameters } = parse(credentialData);
  if (algorithm !== 'argon2') return `$${algorithm}$${rounds}$${salt}$${value}`;
  const { memory, parallelism } = additionalParameters;
  return `$argon2id$v=19$m=${memory[0]},t=${rounds},p=${parallelism[0]}$${bare(salt)}$${bare(value)}`;
}

function base32Of(secret: string) {
  const bits = Array.from(Buffer.from(secret), (byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  return bits.replace(/.{1,5}/g, (five) => letters[Number.parseInt(five.padEnd(5, '0'), 2)] ?? '');
}

function elementOf({ names, profile, phone, otp, idps }: HarbourUser, raw: RawUser): object {
  const { username: userName, firstName, lastName, email, emailVerified, enabled } = raw;
  const password = raw.credentials.find(({ type }) => type === 'password');
  // The one whose secret was base32 when it came to Keycloak.
  const otpCode = userName === 'otp-b32' ? 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' : base32Of(otp ?? '');
  return {
    userId: raw.id,
    user: {
      userName,
      profile: { firstName: names?.[0] ?? firstName, lastName: names?.[1] ?? lastName, ...profile },
      email: { email, ...(emailVerified ? { isEmailVerified: true } : {}) },
      ...(phone && { phone: { phone: phone[0], ...(phone[1] ? { isPhoneVerified: true } : {}) } }),
      ...(password && { hashedPassword: { value: mcfOf(password) } }),
      ...(otpCode === '' ? {} : { otpCode }),
      ...(idps && { idps }),
    },
    ...(enabled ? {} : { state: 'USER_STATE_INACTIVE' }),
  };
}

function codesOf({ codes = [] }: HarbourUser, raw: RawUser) {
  const isLow = raw.credentials.some(
    ({ type, credentialData }) => type === 'password' && credentialData.includes('"memory":["7168"]'),
  );
  return [...codes, ...(isLow ? ['password:parameters-out-of-limits'] : [])].toSorted();
}

describe.each([
  ['kc-26.4.7-harbour', harbour26, 272],
  ['kc-18.0.2-harbour', harbour18, 88],
] as const)('the realm of %s', (folder, special, count) => {
  const path = exportPath(`${folder}/harbour.json`);
  describe('with all its users', () => {
    let users: readonly RawUser[];
    beforeAll(() => {
      ({ users } = JSON.parse(readFileSync(path, 'utf8')) as { users: RawUser[] });
    });
    let whole: ReturnType<typeof convert> | undefined;
    const convertOnce = (): ReturnType<typeof convert> => (whole ??= convert(path, ...idps));

    it('is expected whole: each user once, in the body or left out for a reason', async () => {
      const { names, codes, exitCode } = await convertOnce();
      const all = users.map(({ username }) => username);
      expect(all).toHaveLength(count);
      expect(all.filter((name) => outOf(name) !== undefined).toSorted()).toEqual(
        Object.keys(leftOut).toSorted(),
      );
      expect(names).toEqual(all.filter((name) => outOf(name) === undefined));
      expect(Object.keys(leftOut).map((name) => codes.get(name))).toEqual(
        Object.values(leftOut).map((code) => [code]),
      );
      expect(exitCode).toBe(3);
    });

    it('gives each user every field and all metadata as expected, and says no more than is expected', async () => {
      const { users: written, orgs, codes } = await convertOnce();
      const found = new Map(written.map((element) => [element.userId, element]));
      for (const raw of users.filter(({ username }) => outOf(username) === undefined)) {
        const expected = expectedOf(special, raw.username);
        expect(found.get(raw.id)).toEqual(elementOf(expected, raw));
        expect([raw.username, codes.get(raw.username) ?? []]).toEqual([raw.username, codesOf(expected, raw)]);
        const metadata = (orgs[0]?.userMetadata ?? []).filter(({ id }) => id === raw.id);
        const texts = metadata.map(({ key, value }) => [key, Buffer.from(value, 'base64').toString()]);
        expect(Object.fromEntries(texts)).toEqual(expected.metadata ?? {});
      }
    });

    it('lets every user who is active sign in with the old password, and no user with another', async () => {
      const { passwords } = JSON.parse(readFileSync(exportPath(`${folder}/passwords.json`), 'utf8')) as {
        passwords: Record<string, { password: string }>;
      };
      const { users: written } = await convert(
        path,
        '--email-verified',
        '--email-fallback=placeholder',
        '--email-domain=x.org',
      );
      const server = createServer();
      const request = {
        dataOrgs: { orgs: [{ orgId: server.orgId, humanUsers: written }] },
        timeout: '30m',
      };
      const imported = await server.call('POST /admin/v1/import', request);
      expect(imported.body.success.orgs[0].humanUserIds ?? []).toHaveLength(written.length);
      const refused: string[] = [];
      const taken: string[] = [];
      for (const [loginName, { password }] of Object.entries(passwords)) {
        const signIn = (text: string): Promise<{ status: number }> =>
          server.call('POST /v2/sessions', { checks: { user: { loginName }, password: { password: text } } });
        if ((await signIn(password)).status !== 201) refused.push(loginName);
        if (loginName.endsWith('0') && (await signIn(`${password}!`)).status !== 400) taken.push(loginName);
      }
      expect(taken).toEqual([]);
      // A password over 72 bytes cannot be hashed again by the service; the long name is in no body.
      const names = new Set(users.map(({ username }) => username));
      const unknown = Object.keys(passwords).filter((name) => !names.has(name));
      const out = [
        'disabled-unverified',
        'disabled1',
        'longpw',
        ...users.map(({ username }) => username).filter((name) => name.startsWith('nnnn')),
      ];
      expect(refused.toSorted()).toEqual([...out, ...unknown].toSorted());
    }, 300_000);
  });
});

/** Why a user is not in the body. */
function outOf(name: string) {
  return Object.hasOwn(leftOut, name) ? leftOut[name] : undefined;
}

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

describe('the folder that kc.sh export --dir wrote', () => {
  const folder = exportPath('kc-26.4.7-harbour/dir50');
  it('gives the same body as the one file', async () => {
    const [dir, file] = await Promise.all([
      convert(folder),
      convert(exportPath('kc-26.4.7-harbour/harbour.json')),
    ]);
    const byId = ({ users }: Converted): unknown[] =>
      users.toSorted((a, b) => Number(a.userId > b.userId) - 0.5);
    expect(byId(dir)).toEqual(byId(file));
    expect(dir.orgs[0]?.userMetadata).toHaveLength(file.orgs[0]?.userMetadata?.length ?? 0);
    expect(dir.exitCode).toBe(file.exitCode);
  });
});
