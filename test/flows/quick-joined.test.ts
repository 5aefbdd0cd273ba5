import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBatchConverter } from '../../src/flows/convert-batch.ts';
import { createPick } from '../../src/lib/json-pick.ts';
import { createStencils } from '../../src/lib/stencils.ts';
import { verdicts } from '../../src/sources/auth0/joined-passwords.ts';
import type { Auth0Context, Auth0Options, JoinedBatch } from '../../src/sources/auth0/options.ts';
import { packBcrypt, packedWords } from '../../src/sources/auth0/packed-bcrypt.ts';
import { auth0 } from '../../src/sources/auth0/provider.ts';
import type { RawBatch } from '../../src/sources/source.ts';
import { countWritten, usualJob } from '../support/both-ways.ts';
import { jsonLines } from '../support/memory-input.ts';

const mostly = <Value>(usual: fc.Arbitrary<Value>, ...others: unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 40, arbitrary: usual }, fc.constantFrom(...others));
const objectId = fc.stringMatching(/^[0-9a-f]{24}$/);

/** A user, and what a join may know of it. */
const joinedUser = fc.record({
  id: objectId,
  user: fc.record({
    email: mostly(
      fc.stringMatching(/^[a-z]{3,12}[.][a-z]$/).map((text) => `${text}@mail.example.org`),
      undefined,
      'x',
      null,
    ),
    email_verified: mostly(fc.constant(true), false, 'true'),
    given_name: mostly(fc.constantFrom('Anna', 'Björn'), undefined, ' ', 'a@b'),
    family_name: mostly(fc.constantFrom('Müller', "O'Neill"), undefined, ''),
    name: mostly(fc.constantFrom('Anna Müller', 'Zoë "Z" Smith'), undefined, 'anna@mail.example.org'),
    nickname: mostly(fc.stringMatching(/^[a-z]{1,9}$/), undefined, 'n'.repeat(120)),
    username: mostly(fc.constant(undefined), 'anna', 'A NNA'),
    blocked: mostly(fc.constant(false), true, undefined),
    created_at: fc.constantFrom('2021-03-05T16:34:49.502Z', '2022-01-01T00:00:00.000Z'),
    user_metadata: mostly(fc.constant(undefined), { color: 'red' }),
  }),
  social: mostly(fc.constant(undefined), 'google-oauth2', 'samlp'),
  prefix: mostly(fc.constant('auth0|'), '', 'google-oauth2|', 'waad|con|'),
  verdict: fc.oneof({ weight: 8, arbitrary: fc.constant('joined') }, fc.constantFrom(...verdicts)),
  hash: fc.stringMatching(/^\$2[aby]\$1[0-9]\$[./A-Za-z0-9]{53}$/),
  other: mostly(fc.constant(undefined), '$argon2id$nonsense', '5f4dcc3b5aa765d61d8327deb882cf99'),
  factors: mostly(fc.constant(undefined), ['GEZDGNBVGY3TQOJQ']),
});

/** Two people who differ in their ids alone. */
function alike<Person extends { readonly id: string }>(person: Person): readonly Person[] {
  return ['a', 'b'].map((letter) => ({ ...person, id: `${letter}${person.id.slice(1)}` }));
}

function userOf({
  id,
  user,
  social,
  prefix,
}: typeof joinedUser extends fc.Arbitrary<infer User> ? User : never): object {
  const identity = {
    connection: social ?? 'Database',
    provider: social ?? 'auth0',
    user_id: id,
    isSocial: false,
  };
  return { ...user, user_id: `${String(prefix)}${id}`, identities: [identity] };
}

function joinOf(
  people: readonly {
    readonly verdict: string;
    readonly hash: string;
    readonly other: unknown;
    readonly factors: unknown;
  }[],
  withPasswords: boolean,
  withFactors: boolean,
): JoinedBatch | undefined {
  if (!withPasswords && !withFactors) return undefined;
  const hashes = new Uint32Array(people.length * packedWords);
  const others = new Map<number, string>();
  const factors: [number, { otpSecrets: string[]; recoveryCodes: string[]; others: string[] }][] = [];
  people.forEach(({ verdict, hash, other, factors: secrets }, place) => {
    if (verdict === 'joined' && typeof other === 'string') others.set(place, other);
    if (verdict === 'joined') packBcrypt(Buffer.from(hash), 0, hash.length, hashes, place * packedWords);
    if (secrets !== undefined) {
      factors.push([place, { otpSecrets: secrets as string[], recoveryCodes: [], others: [] }]);
    }
  });
  const words = Uint8Array.from(people, ({ verdict }) => verdicts.indexOf(verdict as 'none'));
  return {
    count: people.length,
    ...(withPasswords ? { passwords: { verdicts: words, hashes, others } } : {}),
    ...(withFactors ? { factors: new Map(factors) } : {}),
  };
}

const options: fc.Arbitrary<Auth0Options> = fc.record({
  nameFallback: fc.constantFrom('full-name', 'username'),
  placeholderDomain: fc.constantFrom('', 'example.invalid'),
  assumeEmailVerified: fc.boolean(),
  defaultRegion: fc.constant(undefined),
  disabled: fc.constantFrom('keep', 'active'),
  metadata: fc.constantFrom('none', 'none', 'attributes', 'all'),
  idps: fc.constantFrom({}, { 'google-oauth2': 'g' }),
  emailVerified: fc.constantFrom(undefined, true),
  ids: fc.constantFrom('keep', 'keep', 'strip-prefix'),
  pbkdf2Spelling: fc.constant('padded'),
});

it('users of Auth0 that stencils write are those that the rules write, with what was joined to each', async () => {
  let quickly = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(joinedUser, { minLength: 1, maxLength: 6 }).map((people) => people.flatMap(alike)),
      options,
      fc.boolean(),
      fc.boolean(),
      async (people, options, withPasswords, withFactors) => {
        const reader = auth0.reader(options) as Parameters<typeof createBatchConverter>[0];
        const wanted = auth0.wanted!(options);
        const isEnough = auth0.isEnough!;
        const stencils = countWritten(
          createStencils(wanted, auth0.oddities!, 7)!,
          (records) => (quickly += records),
        );
        const slow = createBatchConverter(reader, usualJob, { pick: createPick(wanted, isEnough) });
        const quick = createBatchConverter(reader, usualJob, { stencils, isEnough, aside: auth0.aside });
        const bytes = Uint8Array.from(Buffer.from(jsonLines(...people.map(userOf))));
        const context: Auth0Context = { joined: joinOf(people, withPasswords, withFactors) };
        const batch = (): RawBatch => ({
          input: 'users.ndjson',
          elements: { form: 'lines', bytes, offset: 0, firstLine: 1, count: people.length },
          context,
        });
        for (let round = 0; round < 3; round++) {
          const [expected, found] = [await slow(batch()), await quick(batch())];
          expect(Buffer.from(found.body).toString()).toBe(Buffer.from(expected.body).toString());
          expect({ ...found, body: [] }).toEqual({ ...expected, body: [] });
        }
      },
    ),
    { numRuns: 200 },
  );
  expect(quickly).toBeGreaterThan(150);
});
