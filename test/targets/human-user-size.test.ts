import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonWriter } from '../../src/json/writer.ts';
import type { UserRecord } from '../../src/records/user.ts';
import { encodeMetadata, measureMetadata, writeHumanUser } from '../../src/targets/human-user.ts';
import { entrySize } from '../../src/wire/import-size.ts';

const short = fc.string({ unit: 'grapheme', maxLength: 200 });
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
const anyUser: fc.Arbitrary<UserRecord> = fc.record({
  kind: fc.constant('human'),
  origin: fc.constant({ input: '-', index: 0, id: '' }),
  id: short,
  userName: name,
  givenName: name,
  familyName: name,
  fullName: fc.constant(''),
  nickName: short,
  displayName: short,
  language: fc.constantFrom('', 'de'),
  gender: fc.constantFrom('unspecified', 'female', 'diverse'),
  email: name,
  emailVerified: fc.boolean(),
  phone: fc.constantFrom('', '+41446681800'),
  phoneVerified: fc.boolean(),
  passwordHash: short,
  plainPassword: fc.constant(''),
  otpSecret: fc.constantFrom('', 'MZXW6YTBOI'),
  recoveryCodeHashes: fc.array(name, { maxLength: 3 }),
  recoveryCodes: fc.array(name, { maxLength: 3 }),
  links: fc.array(fc.record({ configId: name, externalUserId: name, displayName: short }), { maxLength: 3 }),
  state: fc.constantFrom('active', 'inactive', 'locked'),
  metadata: fc.array(fc.record({ key: name, value: fc.string({ minLength: 1, maxLength: 20_000 }) }), {
    maxLength: 2,
  }),
  notes: fc.constant([]),
});

it('the protobuf size of a user equals the size measured of any body', () => {
  fc.assert(
    fc.property(anyUser, (user) => {
      const out = new JsonWriter();
      const size = writeHumanUser(out, user);
      expect(size).toBe(entrySize('humanUsers', JSON.parse(out.toString())));
      const metadata = JSON.parse(`[${encodeMetadata(user)}]`) as unknown[];
      const sizes = metadata.map((entry) => entrySize('userMetadata', entry));
      expect(measureMetadata(user)).toBe(sizes.reduce((sum, size) => sum + size, 0));
    }),
  );
});
