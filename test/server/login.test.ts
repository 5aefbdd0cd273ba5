/** The promise of a migration: who is imported with the hash of an old password signs in with that password. */
import { pbkdf2Sync, scryptSync } from 'node:crypto';
import { argon2id, bcrypt } from 'hash-wasm';
import { describe, expect, it } from 'vitest';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { createPasswordCheck } from '../../src/server/users/password.ts';
import { createFullServer, type FullServer } from '../support/full-server.ts';
import { createTestServer } from '../support/full-server.ts';
import { verifiedHashes } from '../support/samples.ts';

const password = 'Old password \u00fc 1';
const salt = Buffer.from('sixteen bytes ..');

const base64 = (bytes: Buffer) => bytes.toString('base64');
const pbkdf2 = (name: string, digest: string, length: number) =>
  `$${name}$1000$${base64(salt)}$${base64(pbkdf2Sync(password, salt, 1000, length, digest))}`;
const raw = (bytes: Buffer) => base64(bytes).replace(/=+$/, '');

const hashes: Readonly<Record<string, () => string | Promise<string>>> = {
  'pbkdf2 with SHA-1': () => pbkdf2('pbkdf2', 'sha1', 20),
  'pbkdf2 with SHA-256 and a long key': () => pbkdf2('pbkdf2-sha256', 'sha256', 64),
  'pbkdf2 with SHA-512': () => pbkdf2('pbkdf2-sha512', 'sha512', 64),
  scrypt: () =>
    `$scrypt$ln=14,r=8,p=1$${raw(salt)}$${raw(scryptSync(password, salt, 32, { N: 2 ** 14, r: 8, p: 1 }))}`,
  bcrypt: () => bcrypt({ password, salt, costFactor: 10, outputType: 'encoded' }),
  argon2id: () =>
    argon2id({
      password,
      salt,
      iterations: 1,
      memorySize: 8192,
      parallelism: 1,
      hashLength: 32,
      outputType: 'encoded',
    }),
  // Test vectors of their makers, for the password `password`.
  'md5-crypt': () => '$1$5pZSV9va$azfrPr6af3Fc7dLblQXVa0',
};
const vectors = new Set(['md5-crypt']);

type Server = Pick<FullServer, 'call'>;

async function importAndSignIn(server: Server, mcf: string, secret: string) {
  const imported = await server.call('POST /management/v1/users/human/_import', {
    userName: 'ada',
    profile: { firstName: 'A', lastName: 'L' },
    email: { email: 'a@b.c', isEmailVerified: true },
    hashedPassword: { value: mcf },
  });
  const signIn = (text: string) =>
    server.call('POST /v2/sessions', {
      checks: { user: { loginName: 'ada' }, password: { password: text } },
    });
  return { imported, wrong: () => signIn(`not ${secret}`), right: () => signIn(secret) };
}

describe('the old password', () => {
  it.each(Object.keys(hashes))('opens a session: %s', async (name) => {
    const secret = vectors.has(name) ? 'password' : password;
    const { imported, wrong, right } = await importAndSignIn(
      createFullServer(),
      await hashes[name]!(),
      secret,
    );
    expect(imported.status).toBe(200);
    expect((await wrong()).body.details[0].id).toBe('COMMAND-3M0fs');
    expect((await right()).status).toBe(201);
    expect((await right()).status).toBe(201);
  });
});

/** Checks passwords as the real one does, and renews no hash: that would take longer than all the rest. */
const createCheckingServer = () =>
  createTestServer({ verifyPassword: createPasswordCheck(builtInProfiles.get('all-verifiers')!) });

const samples = verifiedHashes();
const valid = samples.filter((sample) => sample.targetValid);
const refused = samples.filter((sample) => !sample.targetValid);

/** One of each algorithm, and all that do not log in: `test/records/mcf/verify.test.ts` checks every hash. */
const logsIn = new Set([
  ...new Map(valid.map((sample) => [sample.mcf.split('$')[1], sample])).values(),
  ...valid.filter((sample) => !sample.verifies || Buffer.byteLength(sample.password) > 72),
]);

/** What the service's own library said, as the id that the service answers. */
function expectedId(error: string | null): string {
  if (error?.startsWith('PANIC')) return 'RECOVER';
  return error?.includes('multiple parse errors') ? 'CRYPT-r8Qm2' : 'CRYPT-5uV9n';
}

describe('hashes that the service’s own library was asked about', () => {
  it.each(valid.map((sample) => [sample.mcf, sample] as const))('%s is taken', async (mcf, sample) => {
    const { imported, right } = await importAndSignIn(createCheckingServer(), mcf, sample.password);
    expect(imported.status).toBe(200);
    if (!logsIn.has(sample)) return;
    // A right password over 72 bytes fails when the service hashes it again.
    const tooLong = Buffer.byteLength(sample.password) > 72;
    const status = tooLong ? 500 : 201;
    expect((await right()).status === status).toBe(sample.verifies);
  });

  it.each(refused.map((sample) => [sample.mcf, sample] as const))('%s is refused', async (mcf, sample) => {
    const { imported } = await importAndSignIn(createCheckingServer(), mcf, sample.password);
    expect(imported.body.details[0].id).toBe(expectedId(sample.targetError));
  });
});
