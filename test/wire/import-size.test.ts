import { expect, it } from 'vitest';
import * as fc from 'fast-check';
import { decode } from '../../src/wire/codec.ts';
import { importHumanUserRequest } from '../../src/wire/create-user.ts';
import { importDataRequest } from '../../src/wire/import.ts';
import { entrySize, importRequestSize, orgSize, protobufSize } from '../../src/wire/import-size.ts';

/** A protobuf writer of its own, by field number, to check the sizes against real bytes; a list repeats its field. */
type Value = string | Buffer | boolean | number | Fields;
interface Fields {
  readonly [number: number]: Value | readonly Value[];
}

function varint(value: number) {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}

function encode(fields: Fields): Buffer {
  const parts = Object.entries(fields).flatMap(([name, given]: [string, Value | readonly Value[]]) =>
    (Array.isArray(given) ? given : [given]).map((value: Value) => encodeField(Number(name), value)),
  );
  return Buffer.concat(parts);
}

function encodeField(number: number, value: Value): Buffer {
  if (typeof value === 'number' || typeof value === 'boolean') {
    return Buffer.from([...varint(number * 8), ...varint(Number(value))]);
  }
  const content = typeof value === 'string' || Buffer.isBuffer(value) ? Buffer.from(value) : encode(value);
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(content.length)]), content]);
}

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
const user = fc.record({ id: words, name: words, first: words, last: words, email: words, hash: words });
type User = typeof user extends fc.Arbitrary<infer T> ? T : never;

const asJson = (p: User) => ({
  userName: p.name,
  profile: { firstName: p.first, last_name: p.last, gender: 'GENDER_FEMALE', nickName: '' },
  email: { email: p.email, is_email_verified: true },
  phone: { phone: '+41710000000', isPhoneVerified: false },
  hashed_password: { value: p.hash, algorithm: 'dropped by the service' },
  unknown: 'dropped too',
});
const asFields = (p: User): Fields => ({
  1: p.name,
  2: { 1: p.first, 2: p.last, 6: 1 },
  3: { 1: p.email, 2: true },
  4: { 1: '+41710000000' },
  6: { 1: p.hash },
});

it('the size of an import body as protobuf is exact for human users, machine users, metadata and grants', () => {
  fc.assert(
    fc.property(fc.array(user, { maxLength: 30 }), fc.uint8Array({ maxLength: 400 }), (users, bytes) => {
      const body = {
        dataOrgs: {
          orgs: [
            {
              orgId: '318901',
              humanUsers: users.map((p) => ({
                userId: p.id,
                user: asJson(p),
                state: 'USER_STATE_LOCKED',
              })),
              machineUsers: users.map((p) => ({
                user: { userName: p.name, name: p.first, userId: p.id },
              })),
              userMetadata: [{ id: 'u', key: 'k', value: Buffer.from(bytes).toString('base64') }],
              machineKeys: [{ keyId: 'k', expirationDate: '2030-01-01T00:00:00.5Z', publicKey: 'YWJj' }],
              actions: [{ action: { name: 'n', timeout: '1.5s' } }],
              loginPolicy: { allowRegister: true, passwordlessType: 1, forceMfaLocalOnly: true },
              userGrants: [{ userId: 'u', projectId: 'p', roleKeys: ['a', '', 'b'] }],
            },
            {},
          ],
        },
        timeout: '1h0m0s',
      };
      const org: Fields = {
        1: '318901',
        7: { 2: true, 5: 1, 20: true },
        14: users.map((p) => ({ 1: p.id, 2: asFields(p), 3: 5 })),
        15: users.map((p) => ({ 2: { 1: p.name, 2: p.first, 5: p.id } })),
        17: { 2: { 1: 'n', 3: { 1: 1, 2: 500_000_000 } } },
        19: { 1: 'u', 2: 'p', 4: ['a', '', 'b'] },
        23: { 1: 'u', 2: 'k', ...(bytes.length > 0 && { 3: Buffer.from(bytes) }) },
        36: { 1: 'k', 4: { 1: 1_893_456_000, 2: 500_000_000 }, 5: 'abc' },
      };
      const real = encode({ 1: { 1: [org, {}] }, 9: '1h0m0s' });
      expect(importRequestSize(body)).toBe(real.length);
      expect(importRequestSize(decode(importDataRequest, Buffer.from(JSON.stringify(body))))).toBe(
        real.length,
      );
      expect(importRequestSize(JSON.parse(JSON.stringify(body).replace('dataOrgs', 'data_orgs')))).toBe(
        real.length,
      );
    }),
    { numRuns: 30 },
  );
});

it('the size of an import body as protobuf is the sum of the sizes of the entries', () => {
  fc.assert(
    fc.property(fc.array(user, { maxLength: 20 }), (drawn) => {
      const users = drawn.map((p) => ({ userId: p.id, user: asJson(p) }));
      const size =
        orgSize({ orgId: 'o' }) + users.reduce((sum, user) => sum + entrySize('humanUsers', user), 0);
      expect(orgSize({ orgId: 'o', humanUsers: users })).toBe(size);
    }),
    { numRuns: 30 },
  );
});

it('the size of an import body as protobuf counts a metadata value decoded, in both alphabets, padded or not', () => {
  for (const value of ['+/8=', '-_8=', '+/8', '-_8']) {
    expect(entrySize('userMetadata', { id: 'u', key: 'k', value })).toBe(2 + 1 + 3 + 3 + 4);
  }
});

it('the size of an import body as protobuf omits what proto3 omits', () => {
  const humanUserSize = (user: unknown) => protobufSize(importHumanUserRequest, user);
  const empty = { userName: '', profile: null, passwordChangeRequired: false, password: undefined };
  expect(humanUserSize(empty)).toBe(0);
  expect(humanUserSize({ profile: {} })).toBe(2);
  expect(humanUserSize({ profile: { gender: 'GENDER_UNSPECIFIED' } })).toBe(2);
  expect(importRequestSize(undefined)).toBe(0);
});

it('the size of an import body as protobuf counts passed-through values with two bytes a tag', () => {
  const loginTexts = [{ language: 'de', loginText: { title: 'Hallo' } }];
  const real = encode({ 24: { 1: 'de', 5: { 1: 'Hallo' } } });
  expect(orgSize({ loginTexts })).toBe(real.length + 2);
});
