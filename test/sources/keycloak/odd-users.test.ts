/** Whatever a Keycloak user holds, the reader ends with a record or a rejection, and reports what it leaves out. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { UserRecord } from '../../../src/records/user.ts';
import type { KeycloakOptions } from '../../../src/sources/keycloak/options.ts';
import { createReader } from '../../../src/sources/keycloak/read.ts';
import { usualKeycloak } from '../../support/usual-job.ts';

const context = { realm: 'r', federated: false };

function read(user: unknown, options: Partial<KeycloakOptions> = {}) {
  return createReader({ ...usualKeycloak, ...options })(
    user,
    { input: 'r.json', index: 0, id: '' },
    context,
    0,
  );
}

const sound = {
  id: 'some-id',
  username: 'ada',
  firstName: 'A',
  lastName: 'B',
  email: 'ada@example.org',
  emailVerified: true,
  enabled: true,
  totp: true,
  attributes: {},
  credentials: [],
  requiredActions: [],
  realmRoles: [],
  clientRoles: {},
  applicationRoles: {},
  groups: [],
  federatedIdentities: [],
  socialLinks: [],
  federationLink: null,
  serviceAccountClientId: '',
};

const scalar = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    null,
    true,
    false,
    0,
    -1,
    1.5,
    2 ** 53,
    1e300,
    '',
    ' ',
    '\0',
    '\ud800',
    '__proto__',
    '+41446681800',
  ),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(
    fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.constantFrom('type', 'value', 'userId', '__proto__', 'constructor', 'locale'),
    ),
    tie('value'),
    { maxKeys: 3 },
  ),
})).value;

const name = fc.constantFrom(
  'phoneNumber',
  'phoneNumberVerified',
  'mobile',
  'locale',
  'gender',
  'nickname',
  'picture',
  'x',
  '__proto__',
  'a b',
);
const texts = fc.oneof(
  fc.array(
    fc.constantFrom('+41446681800', '+41790000001', 'reception', '', 'de_AT', 'zz-', 'f', 'true', 'ü'),
    { maxLength: 3 },
  ),
  fc.constantFrom('de', 7, true, null, 2 ** 60, {}, [[]], ['a', null], [1, 'b']),
);
const attributes = fc.uniqueArray(fc.tuple(name, texts), { selector: ([key]) => key, maxLength: 8 });
/** As JSON.parse makes it: `__proto__` is a key like any other. */
const objectOf = (entries: readonly (readonly [string, unknown])[]) =>
  JSON.parse(
    `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`,
  ) as object;

it('the Keycloak reader never throws and makes valid names and addresses of any user', () => {
  const odd = fc.dictionary(fc.constantFrom(...Object.keys(sound)), json, { maxKeys: 5 });
  fc.assert(
    fc.property(odd, fc.constantFrom('none', 'attributes', 'all'), (fields, metadata) => {
      const record = read({ ...sound, ...fields }, { metadata, emailFallback: 'username' });
      if (record.kind !== 'human') return;
      const { userName, email, givenName, familyName, id } = record;
      for (const text of [userName, email, givenName, familyName, id]) {
        expect(text).not.toBe('');
        expect(text.isWellFormed() && !text.includes('\0')).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
});

it('the Keycloak reader reports every dropped attribute, and ignores the order of keys', () => {
  fc.assert(
    fc.property(attributes, fc.constantFrom('attributes', 'all'), (entries, metadata) => {
      const record = read({ ...sound, attributes: objectOf(entries) }, { metadata }) as UserRecord;
      const turned = Object.entries({ ...sound, attributes: objectOf(entries.toReversed()) }).toReversed();
      expect(read(Object.fromEntries(turned), { metadata })).toEqual(record);
      const { phone, language, gender, nickName, phoneVerified } = record;
      const dropped = record.notes.flatMap(({ code, detail }) =>
        code === 'attribute:dropped' ? [detail] : [],
      );
      for (const [key, value] of entries) {
        const given = [value].flat().filter((text) => text !== '' && text !== null);
        if (given.length === 0 || dropped.includes(key)) continue;
        if (record.metadata.some((entry) => entry.key === key)) continue;
        const inRecord = {
          phoneNumber: phone,
          mobile: phone,
          locale: language,
          gender: gender.replace('unspecified', ''),
          nickname: nickName,
          phoneNumberVerified: phone,
        };
        expect([key, given.length, metadata]).toEqual([key, 1, 'attributes']);
        expect(inRecord[key as keyof typeof inRecord]).toMatch(/./);
      }
      const verified = entries.find(([key]) => key === 'phoneNumberVerified')?.[1];
      const own = entries.find(([key]) => key === 'phoneNumber')?.[1];
      const isTrue = [verified].flat()[0] === 'true' || verified === true;
      expect(phoneVerified && !(isTrue && [own].flat().includes(phone))).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  [false, 'directory-id', true],
  [true, 'directory-id', false],
  [false, null, false],
  [false, '', false],
])('enabled: %s with the directory %j adds a directory note: %s', (enabled, federationLink, isNoted) => {
  const { notes = [] } = read({ ...sound, enabled, federationLink }) as Partial<UserRecord>;
  const codes = notes.map(({ code }) => code);
  expect(codes.includes('state:directory-disabled')).toBe(isNoted);
  expect(codes.includes('password:federated')).toBe(federationLink === 'directory-id');
});

it('a user without an id gets the same id in every run', () => {
  const id = '0cf0065d-ffc8-54f2-b128-acc78f7f5383';
  for (const username of ['Ada', 'ada']) expect(read({ ...sound, id: '', username })).toMatchObject({ id });
});

it('lists in arbitrary order are written in one order', () => {
  const lists = {
    realmRoles: ['b', 'a', 'c'],
    clientRoles: { shop: ['y', 'x'], app: ['z'] },
    groups: ['/b', '/a'],
    requiredActions: ['UPDATE_PROFILE', 'CONFIGURE_TOTP'],
    federatedIdentities: [
      { identityProvider: 'google', userId: '2' },
      { identityProvider: 'github', userId: '1' },
    ],
  };
  const turned = Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [
      name,
      Array.isArray(list) ? list.toReversed() : { app: ['z'], shop: ['x', 'y'] },
    ]),
  );
  const options = { metadata: 'all', idps: { google: '11', github: '22' } } as const;
  expect(read({ ...sound, ...turned }, options)).toEqual(read({ ...sound, ...lists }, options));
});

it('a user may have more roles than a call takes arguments', () => {
  const app = Array.from({ length: 150_000 }, () => 'r');
  expect(read({ ...sound, clientRoles: { app } }).kind).toBe('human');
});
