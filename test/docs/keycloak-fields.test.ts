/** What the page on the fields of Keycloak says and credentials holds, one user at a time. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { runProgram } from '../support/program.ts';

const page = readFileSync(new URL('../../docs/providers/keycloak-fields.md', import.meta.url), 'utf8');

type Fields = Readonly<Record<string, unknown>>;

const bytes = Buffer.alloc(16, 7).toString('base64');
const hash = { type: 'password', secretData: { value: bytes, salt: bytes } };
const hashed = (algorithm: string, iterations: number, more: object = {}): object => ({
  ...hash,
  credentialData: { algorithm, hashIterations: iterations, ...more },
});

const otp = (more: object): object => ({ type: 'otp', secretData: { value: 'abc' }, credentialData: more });

interface Claim {
  readonly says: string;
  /** Beside the fields of every user; `undefined` removes a field. */
  readonly fields: Fields;
  readonly flags?: readonly string[];
  /** Of the element in the body. Absent: the record is not in it. */
  readonly becomes?: object;
  readonly codes?: readonly string[];
}

const userWith = (user: object): object => ({ user: expect.objectContaining(user) as object });
const profile = (fields: object): object => userWith({ profile: expect.objectContaining(fields) as object });
const password = (value: string): object => userWith({ hashedPassword: { value } });

const nameless = { firstName: undefined, lastName: '', email: null, credentials: [] };

const claims: readonly Claim[] = [
  { says: 'the id', fields: {}, becomes: { userId: 'some-id' } },
  { says: 'an integer for an id', fields: { id: 4711 }, becomes: { userId: '4711' } },
  ...[2 ** 53, -(2 ** 53), 1e300, 1.5, true, ['a'], { a: 1 }].map((id) => ({
    says: `the id ${JSON.stringify(id)}`,
    fields: { id },
    codes: ['record:malformed'],
  })),
  {
    says: 'a username that is an address',
    fields: { email: undefined, username: 'ada@example.org' },
    flags: ['--email-fallback=username'],
    becomes: userWith({ email: { email: 'ada@example.org' } }),
    codes: ['email:from-username'],
  },
  {
    says: 'a username that is an address, taken as verified',
    fields: { email: '', username: 'ada@example.org' },
    flags: ['--email-fallback=username', '--email-verified'],
    becomes: userWith({ email: { email: 'ada@example.org', isEmailVerified: true } }),
    codes: ['email:from-username'],
  },
  {
    says: 'a username that is none',
    fields: { email: undefined },
    flags: ['--email-fallback=username'],
    codes: ['user-skipped:no-email'],
  },
  {
    says: 'blanks in names',
    fields: { firstName: '  A\tB  C ', lastName: '\u00a0D\n', username: 'ada  king' },
    becomes: userWith({
      userName: 'ada  king',
      profile: { firstName: '  A\tB  C ', lastName: '\u00a0D\n' },
    }),
  },
  {
    says: 'blanks round a username and an address',
    fields: { username: '\u2003ada ', email: ' ada@example.org\n' },
    becomes: userWith({ userName: 'ada', email: { email: 'ada@example.org', isEmailVerified: true } }),
    codes: ['field:trimmed'],
  },
  {
    says: 'a name of blanks',
    fields: { firstName: ' \t ' },
    becomes: profile({ firstName: 'ada' }),
    codes: ['name:filled'],
  },
  {
    says: 'a placeholder',
    fields: { email: undefined },
    flags: ['--email-fallback=placeholder', '--email-domain=noreply.example.com'],
    becomes: userWith({ email: { email: 'ada@noreply.example.com', isEmailVerified: true } }),
    codes: ['email:placeholder'],
  },
  {
    says: 'not verified',
    fields: { emailVerified: false },
    becomes: userWith({ email: { email: 'ada@example.org' } }),
  },
  {
    says: 'taken as verified',
    fields: { emailVerified: false },
    flags: ['--email-verified'],
    becomes: userWith({ email: { email: 'ada@example.org', isEmailVerified: true } }),
  },
  {
    says: 'a dash for a name',
    fields: { firstName: '' },
    flags: ['--name-fallback=dash'],
    becomes: profile({ firstName: '-' }),
    codes: ['name:filled'],
  },
  {
    says: 'disabled',
    fields: { enabled: false },
    becomes: { state: 'USER_STATE_INACTIVE' },
    codes: ['state:needs-v4'],
  },
  {
    says: 'disabled, skip',
    fields: { enabled: false },
    flags: ['--disabled=skip'],
    codes: ['user-skipped:disabled'],
  },
  ...['phoneNumber', 'phone', 'mobile', 'phone_number', 'telephone', 'phoneNumbers'].map((name) => ({
    says: `a phone in ${name}`,
    fields: { attributes: { [name]: ['+41 44 668 18 00'] } },
    becomes: userWith({ phone: { phone: '+41446681800' } }),
  })),
  {
    says: 'a phone in the attribute that a flag names',
    fields: {
      attributes: {
        phoneNumber: ['+41446681800'],
        phoneNumberVerified: ['true'],
        telephoneNumber: ['+41790000001'],
      },
    },
    flags: ['--phone-attribute=telephoneNumber'],
    becomes: userWith({ phone: { phone: '+41790000001' } }),
    codes: ['attribute:not-migrated'],
  },
  {
    says: 'a phone where the attribute that a flag names has none',
    fields: { attributes: { phoneNumber: ['+41446681800'], telephoneNumber: ['reception'] } },
    flags: ['--phone-attribute=telephoneNumber', '--metadata=attributes'],
    becomes: userWith({ phone: { phone: '+41446681800' } }),
  },
  {
    says: 'a verified phone, Swiss',
    fields: { attributes: { phoneNumber: ['044 668 18 00'], phoneNumberVerified: ['true'] } },
    flags: ['--default-region=CH'],
    becomes: userWith({ phone: { phone: '+41446681800', isPhoneVerified: true } }),
  },
  {
    says: 'a language',
    fields: { attributes: { locale: ['de_AT'] } },
    becomes: profile({ preferredLanguage: 'de' }),
  },
  {
    says: 'gender, nick name, display name',
    fields: { attributes: { gender: ['f'], nickname: ['A'], displayName: ['Lady A'] } },
    becomes: profile({ gender: 'GENDER_FEMALE', nickName: 'A', displayName: 'Lady A' }),
  },
  {
    says: 'other attributes',
    fields: { attributes: { badge: ['7'] } },
    becomes: {},
    codes: ['attribute:not-migrated'],
  },
  {
    says: 'an attribute too large',
    fields: { attributes: { badge: ['x'.repeat(500_001)] } },
    flags: ['--metadata=attributes'],
    becomes: {},
    codes: ['attribute:dropped'],
  },
  {
    says: 'values that are no texts',
    fields: { attributes: { floor: 3, away: [true, null], badge: [2 ** 60] } },
    flags: ['--metadata=attributes'],
    becomes: {},
    codes: ['attribute:dropped'],
  },
  {
    says: 'a link with a number for an id, and one that JSON has rounded',
    fields: {
      federatedIdentities: [
        { identityProvider: 'github', userId: 583_231 },
        { identityProvider: 'google', userId: 2 ** 53 },
      ],
    },
    flags: ['--idp=google=286', '--idp=github=287'],
    becomes: userWith({ idps: [{ configId: '287', externalUserId: '583231' }] }),
    codes: ['idp:missing-id'],
  },
  ...['x', 7, ['x'], [null]].map((federatedIdentities) => ({
    says: `links that are ${JSON.stringify(federatedIdentities)}`,
    fields: { federatedIdentities },
    becomes: {},
    codes: ['idp:missing-id'],
  })),
  {
    says: 'an id that the target cannot store',
    fields: { id: 'a\0' },
    codes: ['record:malformed'],
  },
  {
    says: 'a service account whose id JSON has rounded',
    fields: { id: 2 ** 53, serviceAccountClientId: 'shop' },
    flags: ['--service-accounts=machine-users'],
    codes: ['record:malformed'],
  },
  ...['27500', 27_500].map((hashIterations) => ({
    says: `${JSON.stringify(hashIterations)} rounds`,
    fields: { credentials: [{ ...hash, credentialData: { algorithm: 'pbkdf2-sha256', hashIterations } }] },
    becomes: password(`$pbkdf2-sha256$27500$${bytes}$${bytes}`),
  })),
  ...[
    '27500.0',
    '0x6b6c',
    ' 27500',
    '27_500',
    '2.75e4',
    '',
    true,
    [27_500],
    null,
    2 ** 60,
    '9'.repeat(17),
  ].map((hashIterations) => ({
    says: `${JSON.stringify(hashIterations)} rounds`,
    fields: { credentials: [{ ...hash, credentialData: { algorithm: 'pbkdf2-sha256', hashIterations } }] },
    becomes: {},
    codes: ['password:malformed'],
  })),
  {
    says: 'a number of digits that is none',
    fields: { credentials: [hashed('pbkdf2', 20_000), otp({ digits: 'six' })] },
    becomes: {},
    codes: ['otp:malformed'],
  },
  {
    says: 'credentials without secrets, as the REST API shows them',
    fields: {
      totp: true,
      credentials: [
        { type: 'password', credentialData: '{"hashIterations":5,"algorithm":"argon2"}' },
        { type: 'otp', credentialData: '{"subType":"totp","digits":6}' },
      ],
    },
    becomes: {},
    codes: ['password:not-exported', 'otp:not-exported'],
  },
  {
    says: 'no credentials',
    fields: { credentials: undefined, totp: true },
    becomes: {},
    codes: ['password:not-exported', 'otp:not-exported'],
  },
  {
    says: 'TOTP that is said and not shown',
    fields: { totp: true },
    becomes: {},
    codes: ['otp:not-exported'],
  },
  {
    says: 'plain text, left out',
    fields: { credentials: [{ type: 'password', value: 'open', temporary: true }] },
    flags: ['--plain-passwords=skip'],
    becomes: {},
    codes: ['password:temporary', 'password:plaintext-skipped'],
  },
  {
    says: 'no password',
    fields: { credentials: [] },
    flags: ['--without-password=skip'],
    codes: ['user-skipped:no-password'],
  },
  {
    says: 'a password in LDAP',
    fields: { credentials: [], federationLink: 'ldap' },
    becomes: {},
    codes: ['password:federated'],
  },
  {
    says: 'a raw secret',
    fields: { credentials: [hashed('pbkdf2', 20_000), otp({ subType: 'totp' })] },
    becomes: userWith({ otpCode: 'MFRGG' }),
  },
  {
    says: 'a secret that is base32 and does not say so',
    fields: { credentials: [hashed('pbkdf2', 20_000), { ...otp({}), secretData: { value: 'MFRGG' } }] },
    flags: ['--otp-secret=base32'],
    becomes: userWith({ otpCode: 'MFRGG' }),
  },
  {
    says: 'factors that the target cannot have',
    fields: {
      credentials: [
        hashed('pbkdf2', 20_000),
        otp({ subType: 'hotp' }),
        otp({ digits: 8 }),
        { type: 'otp' },
        otp({}),
        otp({}),
        ...['webauthn', 'recovery-authn-codes', 'sms-authenticator'].map((type) => ({ type })),
      ],
    },
    becomes: {},
    codes: [
      'otp:hotp',
      'otp:parameters',
      'otp:malformed',
      'otp:extra',
      'mfa:webauthn',
      'mfa:recovery-codes',
      'mfa:other',
    ],
  },
  {
    says: 'roles, groups, actions',
    fields: {
      realmRoles: ['admin'],
      groups: ['/pool'],
      requiredActions: ['UPDATE_PASSWORD', 'VERIFY_EMAIL'],
    },
    becomes: {},
    codes: ['role:not-migrated', 'group:not-migrated', 'required-action:not-migrated'],
  },
  {
    says: 'roles and groups as metadata',
    fields: { realmRoles: ['admin'], groups: ['/pool'] },
    flags: ['--metadata=all'],
    becomes: {},
    codes: ['role:as-metadata', 'group:as-metadata'],
  },
  {
    says: 'roles that all users have',
    fields: {
      realmRoles: ['default-roles-r', 'offline_access', 'uma_authorization'],
      clientRoles: { account: ['a'] },
    },
    becomes: {},
  },
  {
    says: 'the first administrator',
    fields: { attributes: { is_temporary_admin: ['true'] } },
    becomes: {},
    codes: ['account:temporary-admin'],
  },
  {
    says: 'a service account',
    fields: { serviceAccountClientId: 'billing' },
    codes: ['user-skipped:service-account'],
  },
  {
    says: 'a service account by its name',
    fields: { ...nameless, username: 'service-account-billing' },
    codes: ['user-skipped:service-account'],
  },
  {
    says: 'a service account of an early version',
    fields: {
      ...nameless,
      username: 'service-account-billing',
      email: 'service-account-billing@placeholder.org',
    },
    codes: ['user-skipped:service-account'],
  },
  ...Object.entries({
    email: { email: 'ada@example.org' },
    'first name': { firstName: 'Ada', email: '' },
    'last name': { lastName: 'L', email: '' },
    password: { credentials: [hashed('pbkdf2', 20_000)] },
  }).map(([what, fields]) => ({
    says: `a user whose name begins so, with ${what}`,
    fields: { ...nameless, ...fields, username: 'service-account-ada' },
    flags: ['--email-fallback=placeholder', '--email-domain=x.example', '--report=r.json'],
    becomes: userWith({ userName: 'service-account-ada' }),
    codes: [
      ...(fields.email ? [] : ['email:placeholder']),
      ...('credentials' in fields ? [] : ['password:none']),
      'name:filled',
    ],
  })),
  {
    says: 'a client account with a name',
    fields: { serviceAccountClientId: 'billing', username: 'billing' },
    codes: ['user-skipped:service-account'],
  },
  {
    says: 'a user of a federated storage',
    fields: { id: 'f:1:2', username: undefined },
    codes: ['user-skipped:federated-storage'],
  },
];

/** Everything that the page tells of, and a claim of it changes. */
const ada: Fields = {
  id: 'some-id',
  username: 'ada',
  firstName: 'A',
  lastName: 'B',
  email: 'ada@example.org',
  emailVerified: true,
  enabled: true,
  credentials: [hashed('pbkdf2-sha256', 27_500)],
};

async function convert(
  fields: Fields,
  flags: readonly string[],
): Promise<{ elements: readonly object[]; codes: readonly string[] }> {
  const cwd = createTestFolder();
  const json = (name: string): unknown => JSON.parse(readFileSync(join(cwd, name), 'utf8'));
  writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ realm: 'r', users: [{ ...ada, ...fields }] }));
  const input = ['--org=1', '--realm=realm.json', '--report=r.json', '--target-profile=all-verifiers'];
  await runProgram(['migrate', 'keycloak', ...input, ...flags], { cwd });
  const { dataOrgs } = json('importBody.json') as { dataOrgs: { orgs: [{ humanUsers: object[] }] } };
  const { users } = json('r.json') as { users: { reasons: { code: string }[] }[] };
  return {
    elements: dataOrgs.orgs[0].humanUsers,
    codes: users.flatMap(({ reasons }) => reasons.map(({ code }) => code)),
  };
}

it.each(claims)('what the page says of $says holds', async ({ fields, flags = [], becomes, codes = [] }) => {
  const found = await convert(fields, flags);
  const elements: readonly unknown[] = [becomes].filter((shape) => shape !== undefined);
  expect(found.elements).toHaveLength(elements.length);
  expect(found.elements).toMatchObject(elements);
  expect(new Set(found.codes)).toEqual(new Set(codes));
  expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
});
