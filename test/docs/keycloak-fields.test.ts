/** What the page on the fields of Keycloak says and credentials holds, one user at a time. */
import { expect, it } from 'vitest';
import { convertRealm, realmOf } from '../support/conversion.ts';
import { readProject } from '../support/folder.ts';

const page = readProject('docs/providers/keycloak-fields.md');

type Fields = Readonly<Record<string, unknown>>;

const bytes = Buffer.alloc(16, 7).toString('base64');
const hash = { type: 'password', secretData: { value: bytes, salt: bytes } };
const hashed = (algorithm: string, iterations: number, more: object = {}): object => ({
  ...hash,
  credentialData: { algorithm, hashIterations: iterations, ...more },
});

const otp = (more: object): object => ({ type: 'otp', secretData: { value: 'abc' }, credentialData: more });

/**
 * What the page says, the fields beside those of every user (`undefined` removes one), what the body has of the user
 * (`absent`: nothing), the codes of the report, the flags.
 */
type Claim = readonly [
  says: string,
  fields: Fields,
  becomes: object,
  codes?: readonly string[],
  flags?: readonly string[],
];

const absent = { absent: true };

const userWith = (user: object): object => ({ user: expect.objectContaining(user) as object });
const profile = (fields: object) => userWith({ profile: expect.objectContaining(fields) as object });
const password = (value: string) => userWith({ hashedPassword: { value } });

const nameless = { firstName: undefined, lastName: '', email: null, credentials: [] };

const withRounds = (hashIterations: unknown) =>
  [
    `${JSON.stringify(hashIterations)} rounds`,
    { credentials: [{ ...hash, credentialData: { algorithm: 'pbkdf2-sha256', hashIterations } }] },
  ] as const;

const claims: readonly Claim[] = [
  ['the id', {}, { userId: 'some-id' }],
  ['an integer for an id', { id: 4711 }, { userId: '4711' }],
  ...[2 ** 53, -(2 ** 53), 1e300, 1.5, true, ['a'], { a: 1 }].map((id): Claim => [
    `the id ${JSON.stringify(id)}`,
    { id },
    absent,
    ['record:malformed'],
  ]),
  [
    'a username that is an address',
    { email: undefined, username: 'ada@example.org' },
    userWith({ email: { email: 'ada@example.org' } }),
    ['email:from-username'],
    ['--email-fallback=username'],
  ],
  [
    'a username that is an address, taken as verified',
    { email: '', username: 'ada@example.org' },
    userWith({ email: { email: 'ada@example.org', isEmailVerified: true } }),
    ['email:from-username'],
    ['--email-fallback=username', '--email-verified'],
  ],
  [
    'a username that is none',
    { email: undefined },
    absent,
    ['user-skipped:no-email'],
    ['--email-fallback=username'],
  ],
  [
    'blanks in names',
    { firstName: '  A B  C ', lastName: '\u00a0D', username: 'ada  king' },
    userWith({
      userName: 'ada  king',
      profile: { firstName: '  A B  C ', lastName: '\u00a0D' },
    }),
  ],
  [
    'line ends and tabs in names',
    { firstName: 'A\tB', lastName: 'D\n' },
    profile({ firstName: 'A B', lastName: 'D' }),
    ['field:cleaned'],
  ],
  [
    'blanks round a username and an address',
    { username: '\u2003ada ', email: ' ada@example.org\n' },
    userWith({ userName: 'ada', email: { email: 'ada@example.org', isEmailVerified: true } }),
    ['field:trimmed'],
  ],
  ['a name of blanks', { firstName: ' \t ' }, profile({ firstName: 'ada' }), ['name:filled']],
  [
    'a placeholder',
    { email: undefined },
    userWith({ email: { email: 'ada@noreply.example.com', isEmailVerified: true } }),
    ['email:placeholder'],
    ['--email-fallback=placeholder', '--email-domain=noreply.example.com'],
  ],
  ['not verified', { emailVerified: false }, userWith({ email: { email: 'ada@example.org' } })],
  [
    'taken as verified',
    { emailVerified: false },
    userWith({ email: { email: 'ada@example.org', isEmailVerified: true } }),
    [],
    ['--email-verified'],
  ],
  [
    'a dash for a name',
    { firstName: '' },
    profile({ firstName: '-' }),
    ['name:filled'],
    ['--name-fallback=dash'],
  ],
  ['disabled', { enabled: false }, { state: 'USER_STATE_INACTIVE' }, ['state:needs-v4']],
  ['disabled, skip', { enabled: false }, absent, ['user-skipped:disabled'], ['--disabled=skip']],
  ...['phoneNumber', 'phone', 'mobile', 'phone_number', 'telephone', 'phoneNumbers'].map((name): Claim => [
    `a phone in ${name}`,
    { attributes: { [name]: ['+41 44 668 18 00'] } },
    userWith({ phone: { phone: '+41446681800' } }),
  ]),
  [
    'a phone in the attribute that a flag names',
    {
      attributes: {
        phoneNumber: ['+41446681800'],
        phoneNumberVerified: ['true'],
        telephoneNumber: ['+41790000001'],
      },
    },
    userWith({ phone: { phone: '+41790000001' } }),
    ['attribute:not-migrated'],
    ['--phone-attribute=telephoneNumber'],
  ],
  [
    'a phone where the attribute that a flag names has none',
    { attributes: { phoneNumber: ['+41446681800'], telephoneNumber: ['reception'] } },
    userWith({ phone: { phone: '+41446681800' } }),
    [],
    ['--phone-attribute=telephoneNumber', '--metadata=attributes'],
  ],
  [
    'a verified phone, Swiss',
    { attributes: { phoneNumber: ['044 668 18 00'], phoneNumberVerified: ['true'] } },
    userWith({ phone: { phone: '+41446681800', isPhoneVerified: true } }),
    [],
    ['--default-region=CH'],
  ],
  ['a language', { attributes: { locale: ['de_AT'] } }, profile({ preferredLanguage: 'de' })],
  [
    'gender, nick name, display name',
    { attributes: { gender: ['f'], nickname: ['A'], displayName: ['Lady A'] } },
    profile({ gender: 'GENDER_FEMALE', nickName: 'A', displayName: 'Lady A' }),
  ],
  ['other attributes', { attributes: { badge: ['7'] } }, {}, ['attribute:not-migrated']],
  [
    'an attribute too large',
    { attributes: { badge: ['x'.repeat(500_001)] } },
    {},
    ['attribute:dropped'],
    ['--metadata=attributes'],
  ],
  [
    'values that are no texts',
    { attributes: { floor: 3, away: [true, null], badge: [2 ** 60] } },
    {},
    ['attribute:dropped'],
    ['--metadata=attributes'],
  ],
  [
    'a link with a number for an id, and one that JSON has rounded',
    {
      federatedIdentities: [
        { identityProvider: 'github', userId: 583_231 },
        { identityProvider: 'google', userId: 2 ** 53 },
      ],
    },
    userWith({ idps: [{ configId: '287', externalUserId: '583231' }] }),
    ['idp:missing-id'],
    ['--idp=google=286', '--idp=github=287'],
  ],
  ...['x', 7, ['x'], [null]].map((federatedIdentities): Claim => [
    `links that are ${JSON.stringify(federatedIdentities)}`,
    { federatedIdentities },
    {},
    ['idp:missing-id'],
  ]),
  ['an id that the target cannot store', { id: 'a\0' }, absent, ['record:malformed']],
  [
    'a service account whose id JSON has rounded',
    { id: 2 ** 53, serviceAccountClientId: 'shop' },
    absent,
    ['record:malformed'],
    ['--service-accounts=machine-users'],
  ],
  ...['27500', 27_500].map((hashIterations): Claim => [
    ...withRounds(hashIterations),
    password(`$pbkdf2-sha256$27500$${bytes}$${bytes}`),
  ]),
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
  ].map((hashIterations): Claim => [...withRounds(hashIterations), {}, ['password:malformed']]),
  [
    'a number of digits that is none',
    { credentials: [hashed('pbkdf2', 20_000), otp({ digits: 'six' })] },
    {},
    ['otp:malformed'],
  ],
  [
    'credentials without secrets, as the REST API shows them',
    {
      totp: true,
      credentials: [
        { type: 'password', credentialData: '{"hashIterations":5,"algorithm":"argon2"}' },
        { type: 'otp', credentialData: '{"subType":"totp","digits":6}' },
      ],
    },
    {},
    ['password:not-exported', 'otp:not-exported'],
  ],
  [
    'no credentials',
    { credentials: undefined, totp: true },
    {},
    ['password:not-exported', 'otp:not-exported'],
  ],
  ['TOTP that is said and not shown', { totp: true }, {}, ['otp:not-exported']],
  [
    'plain text, left out',
    { credentials: [{ type: 'password', value: 'open', temporary: true }] },
    {},
    ['password:temporary', 'password:plaintext-skipped'],
    ['--plain-passwords=skip'],
  ],
  ['no password', { credentials: [] }, absent, ['user-skipped:no-password'], ['--without-password=skip']],
  ['a password in LDAP', { credentials: [], federationLink: 'ldap' }, {}, ['password:federated']],
  [
    'a raw secret',
    { credentials: [hashed('pbkdf2', 20_000), otp({ subType: 'totp' })] },
    userWith({ otpCode: 'MFRGG' }),
  ],
  [
    'a secret that is base32 and does not say so',
    { credentials: [hashed('pbkdf2', 20_000), { ...otp({}), secretData: { value: 'MFRGG' } }] },
    userWith({ otpCode: 'MFRGG' }),
    [],
    ['--otp-secret=base32'],
  ],
  [
    'factors that the target cannot have',
    {
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
    {},
    [
      'otp:hotp',
      'otp:parameters',
      'otp:malformed',
      'otp:extra',
      'mfa:webauthn',
      'mfa:recovery-codes',
      'mfa:other',
    ],
  ],
  [
    'roles, groups, actions',
    {
      realmRoles: ['admin'],
      groups: ['/pool'],
      requiredActions: ['UPDATE_PASSWORD', 'VERIFY_EMAIL'],
    },
    {},
    ['role:not-migrated', 'group:not-migrated', 'required-action:not-migrated'],
  ],
  [
    'roles and groups as metadata',
    { realmRoles: ['admin'], groups: ['/pool'] },
    {},
    ['role:as-metadata', 'group:as-metadata'],
    ['--metadata=all'],
  ],
  [
    'roles that all users have',
    {
      realmRoles: ['default-roles-r', 'offline_access', 'uma_authorization'],
      clientRoles: { account: ['a'] },
    },
    {},
  ],
  [
    'the first administrator',
    { attributes: { is_temporary_admin: ['true'] } },
    {},
    ['account:temporary-admin'],
  ],
  ['a service account', { serviceAccountClientId: 'billing' }, absent, ['user-skipped:service-account']],
  [
    'a service account by its name',
    { ...nameless, username: 'service-account-billing' },
    absent,
    ['user-skipped:service-account'],
  ],
  [
    'a service account of an early version',
    {
      ...nameless,
      username: 'service-account-billing',
      email: 'service-account-billing@placeholder.org',
    },
    absent,
    ['user-skipped:service-account'],
  ],
  ...Object.entries({
    email: { email: 'ada@example.org' },
    'first name': { firstName: 'Ada', email: '' },
    'last name': { lastName: 'L', email: '' },
    password: { credentials: [hashed('pbkdf2', 20_000)] },
  }).map(([what, fields]): Claim => [
    `a user whose name begins so, with ${what}`,
    { ...nameless, ...fields, username: 'service-account-ada' },
    userWith({ userName: 'service-account-ada' }),
    [
      ...(fields.email ? [] : ['email:placeholder']),
      ...('credentials' in fields ? [] : ['password:none']),
      'name:filled',
    ],
    ['--email-fallback=placeholder', '--email-domain=x.example'],
  ]),
  [
    'a client account with a name',
    { serviceAccountClientId: 'billing', username: 'billing' },
    absent,
    ['user-skipped:service-account'],
  ],
  [
    'a user of a federated storage',
    { id: 'f:1:2', username: undefined },
    absent,
    ['user-skipped:federated-storage'],
  ],
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
  const realm = realmOf({ ...ada, ...fields });
  const input = ['--report=r.json', '--target-profile=all-verifiers'];
  const { users, json } = await convertRealm(realm, ...input, ...flags);
  const reported = json('r.json').users as { reasons: { code: string }[] }[];
  return { elements: users, codes: reported.flatMap(({ reasons }) => reasons.map(({ code }) => code)) };
}

it.each(claims.map((claim) => [claim[0], claim] as const))(
  'docs/providers/keycloak-fields.md is right about %s',
  async (_, claim) => {
    const [, fields, becomes, codes = [], flags = []] = claim;
    const found = await convert(fields, flags);
    const elements = [becomes].filter((shape) => shape !== absent);
    expect(found.elements).toHaveLength(elements.length);
    expect(found.elements).toMatchObject(elements);
    expect(new Set(found.codes)).toEqual(new Set(codes));
    expect(codes.filter((code) => !page.includes(`\`${code}\``))).toEqual([]);
  },
);
