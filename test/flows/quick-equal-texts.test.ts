import { describe, expect, it } from 'vitest';
import { type BatchConverter, createBatchConverter } from '../../src/flows/convert-batch.ts';
import { createPick } from '../../src/lib/json-pick.ts';
import { createStencils } from '../../src/lib/stencils.ts';
import { verdicts } from '../../src/sources/auth0/joined-passwords.ts';
import type { Auth0Context, Auth0Options } from '../../src/sources/auth0/options.ts';
import { packBcrypt, packedWords } from '../../src/sources/auth0/packed-bcrypt.ts';
import { auth0 } from '../../src/sources/auth0/provider.ts';
import type { RawBatch } from '../../src/sources/source.ts';
import { usualJob } from '../support/both-ways.ts';
import { jsonLines } from '../support/memory-input.ts';

const options: Auth0Options = {
  nameFallback: 'full-name',
  placeholderDomain: '',
  assumeEmailVerified: false,
  defaultRegion: undefined,
  disabled: 'keep',
  metadata: 'none',
  // Long, so that no length of the other texts changes how the size of a message is written.
  idps: { acme: 'acme'.repeat(40) },
  emailVerified: undefined,
  ids: 'keep',
  pbkdf2Spelling: 'padded',
};

function converters(): readonly [slow: BatchConverter, quick: BatchConverter] {
  const reader = auth0.reader(options) as Parameters<typeof createBatchConverter>[0];
  const wanted = auth0.wanted!(options);
  const isEnough = auth0.isEnough!;
  const stencils = createStencils(wanted, auth0.oddities!, 7)!;
  return [
    createBatchConverter(reader, usualJob, { pick: createPick(wanted, isEnough) }),
    createBatchConverter(reader, usualJob, { stencils, isEnough, aside: auth0.aside }),
  ];
}

function batchOf(users: readonly object[], context: Auth0Context): RawBatch {
  const bytes = Uint8Array.from(Buffer.from(jsonLines(...users)));
  return {
    input: 'users.ndjson',
    elements: { form: 'lines', bytes, offset: 0, firstLine: 1, count: users.length },
    context,
  };
}

/** What is said of the same users three times, so that stencils are made and used. */
async function saidOf(
  convert: BatchConverter,
  users: readonly object[],
  context: Auth0Context,
): Promise<unknown[]> {
  const said: unknown[] = [];
  for (let round = 0; round < 3; round++) {
    const { body, ...more } = await convert(batchOf(users, context));
    said.push({ body: Buffer.from(body).toString(), ...more });
  }
  return said;
}

const person = (number: number): object => ({
  user_id: `samlp|person-${number}`,
  email: `person.number.${number}@mail.organization.example.org`,
  email_verified: true,
  given_name: 'Anna Maria',
  family_name: 'Miller',
});

describe('what a text of a user is compared with', () => {
  it('may be the name of the connection, which stands before some ids', async () => {
    const identity = (userId: string): object => ({
      identities: [{ provider: 'samlp', connection: 'acme', user_id: userId }],
    });
    const users = [1, 2, 3, 4].map((number) => ({
      ...person(number),
      ...identity(`${number % 2 === 0 ? 'acme|' : ''}own-${number}`),
    }));
    const [slow, quick] = converters();
    const expected = await saidOf(slow, users, { joined: undefined });
    expect(JSON.stringify(expected)).not.toContain('acme|');
    expect(await saidOf(quick, users, { joined: undefined })).toEqual(expected);
  });

  it('may be the hash of its password line, which is told of only where it is another one', async () => {
    const hash = (letter: string): string => `$2b$10$${letter.repeat(53)}`;
    const users = [1, 2, 3, 4].map((number) => ({
      ...person(number),
      identities: [{ provider: 'auth0', connection: 'Database', user_id: `${number}` }],
      password_hash: hash('a'),
    }));
    const hashes = new Uint32Array(4 * packedWords);
    ['b', 'c', 'd', 'a'].forEach((letter, place) => {
      packBcrypt(Buffer.from(hash(letter)), 0, 60, hashes, place * packedWords);
    });
    const joined = new Uint8Array(4).fill(verdicts.indexOf('joined'));
    const context = {
      joined: { count: 4, passwords: { verdicts: joined, hashes, others: new Map<number, string>() } },
    };
    const [slow, quick] = converters();
    expect(await saidOf(quick, users, context)).toEqual(await saidOf(slow, users, context));
  });
});
