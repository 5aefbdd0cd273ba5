import {
  array,
  assert,
  constantFrom,
  dictionary,
  oneof,
  property,
  record,
  string,
  uniqueArray,
} from 'fast-check';
import { expect, it } from 'vitest';
import { createPick } from '../../../src/lib/json-pick.ts';
import type { Auth0Options } from '../../../src/sources/auth0/options.ts';
import { auth0 } from '../../../src/sources/auth0/provider.ts';
import { parseBatch } from '../../../src/sources/elements.ts';
import type { RawBatch } from '../../../src/sources/source.ts';
import { jsonLines } from '../../support/memory-input.ts';

const options: Auth0Options = {
  nameFallback: 'full-name',
  placeholderDomain: '',
  assumeEmailVerified: false,
  defaultRegion: 'DE',
  disabled: 'keep',
  metadata: 'all',
  idps: { google: '7' },
  emailVerified: undefined,
  ids: 'keep',
  pbkdf2Spelling: 'padded',
};

const wanted = auth0.wanted!(options);
const pick = createPick(wanted, auth0.isEnough)!;

const text = oneof(
  constantFrom('', 'Zoë', 'ada@example.org', 'auth0|1', 'google|2', 'true', '+41446681800'),
  string(),
);
const value = oneof(text, text, text, constantFrom(null, true, false, 5, [], {}), dictionary(string(), text));
const identity = record(
  { provider: text, connection: text, user_id: value, profileData: value, access_token: text },
  { requiredKeys: [] },
);
const wantedFields = Object.keys(wanted).map((key): [string, typeof value] => [key, value]);
const user = record(
  {
    ...Object.fromEntries(wantedFields),
    user_id: constantFrom('auth0|1', 'google|2', null),
    email: constantFrom('ada@example.org', 'x', null),
    identities: oneof(array(identity, { maxLength: 3 }), value),
    picture: text,
    Email: text,
    'User ID': text,
    mfa_factors: array(record({ totp: record({ secret: text }) }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);

it('a user says the same to the reader, whole or with only what is wanted of it', () => {
  const read = auth0.reader(options);
  let picked = 0;
  assert(
    property(uniqueArray(user, { minLength: 1, maxLength: 3 }), (users) => {
      const bytes = new Uint8Array(Buffer.from(jsonLines(...users)));
      const elements = { form: 'lines', bytes, offset: 0, firstLine: 1, count: users.length } as const;
      const batch: RawBatch = { input: 'users', elements, context: undefined };
      const readAll = (values: readonly unknown[]): unknown[] =>
        values.map((value, place) =>
          read(value, { input: 'users', index: place, id: '' }, { joined: undefined }, place),
        );
      const some = parseBatch(batch, pick);
      if (some.some((value) => Object.keys(value as object).length > wantedFields.length - 1)) picked++;
      expect(readAll(some)).toEqual(readAll(parseBatch(batch)));
    }),
    { numRuns: 1000 },
  );
  expect(picked).toBeGreaterThan(100);
});

it('users under the titles of a table come whole', () => {
  const bytes = new Uint8Array(Buffer.from(jsonLines({ Id: 'auth0|1', 'Given Name': 'Ada' })));
  const elements = { form: 'lines', bytes, offset: 0, firstLine: 1, count: 1 } as const;
  expect(parseBatch({ input: 'users', elements, context: undefined }, pick)).toEqual([
    { Id: 'auth0|1', 'Given Name': 'Ada' },
  ]);
});
