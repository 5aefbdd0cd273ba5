import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConvertedBatch } from '../../src/flows/batch.ts';
import { type BatchConverter, createBatchConverter } from '../../src/flows/convert-batch.ts';
import type { HashPolicy } from '../../src/flows/judge-record.ts';
import { createPick } from '../../src/lib/json-pick.ts';
import { createStencils } from '../../src/lib/stencils.ts';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import type { KeycloakOptions } from '../../src/sources/keycloak/options.ts';
import { keycloak } from '../../src/sources/keycloak/provider.ts';
import type { RawBatch } from '../../src/sources/source.ts';
import { countWritten, usualJob, usualKeycloak } from '../support/both-ways.ts';

const base64 = (length: number): fc.Arbitrary<string> =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes) => Buffer.from(bytes).toString('base64'));
const hidden = (data: object): string => JSON.stringify(data);

const passwordCredential = fc
  .record({
    id: fc.uuid(),
    value: fc.oneof(base64(64), base64(64), base64(32), base64(20), fc.constant('no base64!')),
    salt: fc.oneof({ weight: 9, arbitrary: base64(16) }, base64(8), fc.constant('')),
    rounds: fc.constantFrom(27500, 27500, 27500, 1, 600_000),
    algorithm: fc.constantFrom('pbkdf2-sha256', 'pbkdf2-sha256', 'pbkdf2-sha512', 'argon2', 'unknown'),
    memory: fc.constantFrom('7168', '9'),
  })
  .map(({ id, value, salt, rounds, algorithm, memory }) => ({
    id,
    type: 'password',
    createdDate: 1_600_000_000_000 + rounds,
    secretData: hidden({ value, salt, additionalParameters: {} }),
    credentialData: hidden({
      hashIterations: rounds,
      algorithm,
      additionalParameters: { memory: [memory], type: ['id'], version: ['1.3'], parallelism: ['1'] },
    }),
  }));
const otpCredential = fc
  .record({
    value: fc.oneof(base64(15), fc.constantFrom('ABCDEFGHIJKLMNOPQRST', 'abcdefghijklmnopqrst', 'short')),
    digits: fc.constantFrom(6, 6, 8),
    secretEncoding: fc.constantFrom(undefined, undefined, 'BASE32'),
  })
  .map(({ value, ...more }) => ({
    type: 'otp',
    secretData: hidden({ value }),
    credentialData: hidden({ subType: 'totp', period: 30, algorithm: 'HmacSHA1', ...more }),
  }));
const mostly = <Value>(usual: fc.Arbitrary<Value>, ...others: unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 20, arbitrary: usual }, fc.constantFrom(...others));

const user = fc.record({
  id: mostly(fc.uuid(), undefined, '', 'f:1:2', 5, 'x'.repeat(250)),
  username: mostly(
    fc.string({ unit: fc.constantFrom('a', 'b', 'X', '-', '.', '@'), minLength: 1, maxLength: 12 }),
    undefined,
    ' a',
    'service-account-web',
    'Jürgen',
    'x'.repeat(201),
  ),
  enabled: mostly(fc.constant(true), false, undefined, 'true'),
  emailVerified: mostly(fc.constant(true), false, 'x'),
  firstName: mostly(
    fc.constantFrom('Anna', 'Björn', '美咲', 'Pe"pe\\', 'N\u2028'),
    '',
    undefined,
    'a\tb',
    '\ud800',
    ' ',
  ),
  lastName: mostly(
    fc.constantFrom('Müller', "O'Neill", 'Grün 🎈', 'van  Berg'),
    '',
    'l'.repeat(70),
    'l'.repeat(300),
  ),
  email: mostly(
    fc.constantFrom('somebody.else@mail.example', 'A.b+c@organization.example.org', 'a@b.c'),
    '',
    'no address',
    'a@b@c',
    'ü@example.org',
  ),
  attributes: mostly(
    fc.constant({ locale: ['de'] }),
    undefined,
    { phone: ['+491701234567'] },
    { shoe: ['42'] },
  ),
  credentials: mostly(
    fc.oneof(
      passwordCredential.map((one) => [one]),
      fc.tuple(otpCredential, passwordCredential),
    ),
    [],
    undefined,
    [{ type: 'password', value: 'in plain text' }],
    [{ type: 'webauthn' }],
  ),
  realmRoles: fc.constantFrom(['default-roles-x'], ['admin']),
  groups: fc.constantFrom([], ['/staff']),
  federatedIdentities: mostly(fc.constant(undefined), [
    { identityProvider: 'google', userId: 'g1', userName: 'g' },
  ]),
  createdTimestamp: fc.nat(),
});

/** Three people who differ in plain texts alone. */
function alike<User extends { readonly username: unknown }>(one: User): readonly User[] {
  const { username } = one;
  return typeof username === 'string'
    ? [0, 1, 2].map((number) => ({ ...one, username: `${username}${number}` }))
    : [one];
}

const anyOptions: fc.Arbitrary<KeycloakOptions> = fc.record({
  realmName: fc.constant(undefined),
  serviceAccounts: fc.constantFrom('skip', 'machine-users'),
  otpSecret: fc.constantFrom('raw', 'base32', 'auto'),
  plaintext: fc.constantFrom('hash', 'skip'),
  pbkdf2Spelling: fc.constantFrom('padded', 'padded', 'ab64'),
  nameFallback: fc.constantFrom('username', 'dash', 'email-local', 'skip'),
  placeholderDomain: fc.constantFrom('', 'example.invalid'),
  assumeEmailVerified: fc.boolean(),
  defaultRegion: fc.constantFrom(undefined, 'DE'),
  disabled: fc.constantFrom('keep', 'skip', 'active'),
  metadata: fc.constantFrom('none', 'attributes', 'all'),
  idps: fc.constantFrom({}, { google: 'g-config' }),
});

const anyPolicy: fc.Arbitrary<HashPolicy> = fc.record({
  profile: fc.constantFrom(...builtInProfiles.values()),
  onRefusedHash: fc.constantFrom('drop', 'keep', 'skip', 'refuse'),
  withoutPassword: fc.constantFrom('import', 'skip'),
});

function told({ body, ends, sizes, facts, keys, details }: ConvertedBatch): unknown {
  return {
    body: Buffer.from(body).toString(),
    ends: [...ends],
    sizes: [...sizes],
    facts: [...facts],
    keys: [...keys],
    details,
  };
}

describe('records written by stencils', () => {
  it('are those that the rules write, whatever the users and the options', async () => {
    let quickly = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(user, { minLength: 1, maxLength: 8 }).map((users) => users.flatMap(alike)),
        fc.oneof(fc.constant(usualKeycloak), anyOptions),
        fc.oneof(fc.constant(usualJob.policy), anyPolicy),
        async (users, options, policy) => {
          const judging = { ...usualJob, policy };
          const reader = keycloak.reader(options);
          const stencils = countWritten(
            createStencils(keycloak.wanted!(options), keycloak.oddities!, 7)!,
            (records) => (quickly += records),
          );
          const converter = (shortCuts: Parameters<typeof createBatchConverter>[2]): BatchConverter =>
            createBatchConverter(reader as Parameters<typeof createBatchConverter>[0], judging, shortCuts);
          const [slow, quick] = [
            converter({ pick: createPick(keycloak.wanted!(options)) }),
            converter({ stencils }),
          ];
          const text = users.map((one) => JSON.stringify(one)).join();
          const batch = (realm: string): RawBatch => ({
            input: 'realm.json',
            elements: { form: 'elements', bytes: Uint8Array.from(Buffer.from(text)), offset: 0 },
            context: { realm, federated: false },
          });
          for (const realm of ['one', 'one', 'one', 'two']) {
            expect(told(await quick(batch(realm)))).toEqual(told(await slow(batch(realm))));
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(quickly).toBeGreaterThan(150);
  });
});
