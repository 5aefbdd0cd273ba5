/** The promise of a migration: who is imported with the hash of an old password signs in with that password. */
import { pbkdf2Sync } from 'node:crypto';
import { expect, it } from 'vitest';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { createPasswordCheck } from '../../src/server/users/password.ts';
import { createFullServer, createTestServer, type FullServer, userV1 } from '../support/full-server.ts';
import { verifiedHashes } from '../support/samples.ts';

const password = 'Old password \u00fc 1';
const salt = Buffer.from('sixteen bytes ..');

type Server = Pick<FullServer, 'call'>;

async function importAndSignIn(server: Server, mcf: string, secret: string) {
  const imported = await server.call('POST /management/v1/users/human/_import', {
    ...userV1('ada'),
    hashedPassword: { value: mcf },
  });
  const signIn = (text: string) =>
    server.call('POST /v2/sessions', {
      checks: { user: { loginName: 'ada' }, password: { password: text } },
    });
  return { imported, wrong: () => signIn(`not ${secret}`), right: () => signIn(secret) };
}

it('an imported hash lets the old password sign in, also after the server rehashed it', async () => {
  const key = pbkdf2Sync(password, salt, 1000, 20, 'sha1');
  const mcf = `$pbkdf2$1000$${salt.toString('base64')}$${key.toString('base64')}`;
  const { imported, wrong, right } = await importAndSignIn(createFullServer(), mcf, password);
  expect(imported.status).toBe(200);
  expect((await wrong()).errorId).toBe('COMMAND-3M0fs');
  expect((await right()).status).toBe(201);
  expect((await right()).status).toBe(201);
});

/** Checks passwords as the real one does, and renews no hash: that would take longer than all the rest. */
const createCheckingServer = () =>
  createTestServer({ verifyPassword: createPasswordCheck(builtInProfiles.get('all-verifiers')!) });

/** One of each algorithm, and all that do not log in: `test/records/mcf/verify.test.ts` checks every hash. */
const valid = verifiedHashes().filter((sample) => sample.targetValid);
const logsIn = new Set([
  ...new Map(valid.map((sample) => [sample.mcf.split('$')[1], sample])).values(),
  ...valid.filter((sample) => !sample.verifies || Buffer.byteLength(sample.password) > 72),
]);

it.each([...logsIn].map((sample) => [sample.mcf, sample] as const))(
  'the hash %s accepts the same password as in the library of the service',
  async (mcf, { password: secret, verifies }) => {
    const { imported, right } = await importAndSignIn(createCheckingServer(), mcf, secret);
    expect(imported.status).toBe(200);
    // A right password over 72 bytes fails when the service hashes it again.
    const status = Buffer.byteLength(secret) > 72 ? 500 : 201;
    expect((await right()).status === status).toBe(verifies);
  },
);
