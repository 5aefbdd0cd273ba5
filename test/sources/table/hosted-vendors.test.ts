/** Exports of hosted vendors as they may also be: other costs, members, several identities of a user, broken CSV. */
import { scryptSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { recognise } from '../../../src/sources/recognise.ts';
import { verifyPassword } from '../../../src/records/mcf/recognise.ts';
import { textsOf } from '../../support/desk.ts';
import { createTestFolder } from '../../support/folder.ts';
import { rejections, runTable } from '../../support/table-run.ts';

const lines = (...values: readonly unknown[]) => values.map((one) => JSON.stringify(one)).join('\n');

const costs = `scrypt hash parameters,,,,
scryptCostParameter,2048,,,
scryptRParameter,16,,,
scryptPParameter,2,,,
,,,,
id,hash,salt,hash_method,project_id
`;
it.each([
  [
    'come before the titles, and may be plain numbers',
    costs,
    { cost: 2048, blockSize: 16, parallelization: 2 },
  ],
  ['are the usual ones in a file without titles', '', { cost: 2 ** 15, blockSize: 8, maxmem: 2 ** 26 }],
])('the scrypt costs of Stytch %s', async (_, head, options) => {
  const salt = Buffer.from('salt of stytch').toString('base64url');
  const key = scryptSync('secret', salt, 32, options).toString('base64url');
  const passwords = `${head}user-1,${key},${salt},scrypt,project-test-1\n`;
  const users = lines({ user_id: 'user-1', emails: [{ email_id: 'e', email: 'ada@example.org' }] });
  const { hashes } = await runTable({ provider: 'stytch', users, tables: { passwords } });
  expect(await verifyPassword(hashes['ada@example.org'] ?? '', 'secret')).toBe(true);
});

it('members of Stytch organizations are read as users', async () => {
  const list =
    '{"members":[{"member_id":"member-1","organization_id":"org-1","email_address":"ada@example.org","email_address_verified":true,"name":"Ada Lovelace","roles":[{"role_id":"stytch_admin"}],"oauth_registrations":[{"provider_type":"Google","provider_subject":"108"}],"totp_registration_id":"totp-1"}]}';
  expect(recognise(Buffer.from(list))).toEqual({ source: 'stytch' });
  const { users, tally } = await runTable({ provider: 'stytch', users: list, flags: { idp: 'google=310' } });
  expect(users[0]).toMatchObject({
    userId: 'member-1',
    user: {
      profile: { lastName: 'Lovelace' },
      email: { isEmailVerified: true },
      idps: [{ configId: '310', externalUserId: '108' }],
    },
  });
  expect(tally.reasons.get('mfa:other')).toBe(1);
});

it('local accounts of Azure AD B2C keep their login address or name, and get no link', async () => {
  const users = `{"Id":"1","DisplayName":"unknown","GivenName":"Ada","Surname":"Lovelace","UserPrincipalName":"1@contoso.onmicrosoft.com","Identities":[{"SignInType":"emailAddress","Issuer":"contoso.onmicrosoft.com","IssuerAssignedId":"ada@example.org"}]}
{"Id":"2","DisplayName":"unknown","GivenName":"Ada","Surname":"Lovelace","UserPrincipalName":"2@contoso.onmicrosoft.com","Identities":[{"SignInType":"userName","Issuer":"contoso.onmicrosoft.com","IssuerAssignedId":"bob"},{"SignInType":"emailAddress","Issuer":"contoso.onmicrosoft.com","IssuerAssignedId":"bob@example.org"}]}
{"Id":"3","DisplayName":"unknown","GivenName":"Ada","Surname":"Lovelace","UserPrincipalName":"3@contoso.onmicrosoft.com","Identities":[{"SignInType":"userName","Issuer":"contoso.onmicrosoft.com","IssuerAssignedId":"carol"}]}
`;
  const run = await runTable({ provider: 'entra', users, flags: { idp: ['entra=9'] } });
  expect(run.users.map(({ user }) => user)).toMatchObject([
    { userName: 'ada@example.org', email: { email: 'ada@example.org' } },
    { userName: 'bob', email: { email: 'bob@example.org' } },
  ]);
  expect(run.users.some(({ user }) => 'idps' in user)).toBe(false);
  expect(rejections(run)).toEqual(['user-skipped:no-email: ']);
});

it('FusionAuth roles contain the application id, which is the role of users without one', async () => {
  const users =
    '{"id":"1","email":"ada@example.org","encryptionScheme":"bcrypt","registrations":[{"applicationId":"shop","roles":["admin","editor"]},{"applicationId":"blog","roles":["admin"]},{"applicationId":"docs","roles":null}]}';
  const { orgs } = await runTable({
    provider: 'fusionauth',
    users,
    flags: { roles: 'new:app' },
  });
  const roleKeys = ['role:blog:admin', 'role:docs', 'role:shop:admin', 'role:shop:editor'];
  expect(orgs).toMatchObject([{ userGrants: [{ roleKeys }] }]);
});

it('additional roles of PropelAuth members are read', async () => {
  const users =
    '{"user_id":"u1","email":"ada@example.org","org_id_to_org_info":{"o1":{"user_role":"Owner","additional_roles":["Billing"]}}}';
  const flags = { 'org-by': 'organization', 'org-map': 'orgs.csv', roles: 'new:app' };
  const { orgs } = await runTable({
    provider: 'propelauth',
    users,
    files: { 'orgs.csv': 'o1,1\n' },
    flags,
  });
  const roleKeys = ['organization:Billing', 'organization:Owner'];
  expect(orgs).toMatchObject([{ userGrants: [{ roleKeys }] }]);
});

it('a FusionAuth user with two identities becomes one user', async () => {
  const row = { users_id: 'f-1', encryption_scheme: 'bcrypt', factor: 4, first_name: 'Ada', last_name: 'L' };
  const joined = await runTable({
    provider: 'fusionauth',
    users: lines(
      { ...row, id: 1, username: 'ada', email: null },
      { ...row, id: 2, username: null, email: 'ada@example.org' },
    ),
  });
  const dump = await runTable({
    provider: 'fusionauth',
    users: `COPY public.users (id, first_name, last_name) FROM stdin;
f-1\tAda\tL
\\.
COPY public.identities (id, email, factor, encryption_scheme, users_id, username, verified) FROM stdin;
1\tada@example.org\t4\tbcrypt\tf-1\t\\N\tt
2\t\\N\t4\tbcrypt\tf-1\tada\tt
\\.
`,
  });
  for (const { users, tally } of [joined, dump]) {
    expect(users).toMatchObject([{ userId: 'f-1', user: { userName: 'ada' } }]);
    expect(users[0]?.user).toMatchObject({ email: { email: 'ada@example.org' } });
    expect(tally).toMatchObject({ rejected: 0 });
  }
});

it.each([
  ['appwrite', { $id: 'a', mfa: true }],
  ['better-auth', { id: 'a', twoFactorEnabled: true }],
  ['clerk', { id: 'a', primary_email_address: 'ada@example.org', two_factor_enabled: true }],
  [
    'cognito',
    {
      Username: 'a',
      Attributes: [{ Name: 'email', Value: 'ada@example.org' }],
      MFAOptions: [{ DeliveryMedium: 'SMS' }],
    },
  ],
  [
    'cognito',
    {
      Username: 'a',
      UserAttributes: [{ Name: 'email', Value: 'ada@example.org' }],
      UserMFASettingList: ['SOFTWARE_TOKEN_MFA'],
    },
  ],
  ['descope', { userId: 'a', TOTP: true }],
  ['firebase', { localId: 'a', mfaInfo: [{ mfaEnrollmentId: 'x', phoneInfo: '+15555550102' }] }],
  [
    'firebase',
    { uid: 'a', providerData: [], metadata: {}, multiFactor: { enrolledFactors: [{ factorId: 'totp' }] } },
  ],
  ['fusionauth', { id: 'a', encryptionScheme: 'bcrypt', twoFactor: { methods: [{ method: 'email' }] } }],
  [
    'fusionauth',
    { id: 'a', encryptionScheme: 'bcrypt', passwordChangeRequired: true },
    'required-action:not-migrated',
  ],
  ['flask-security', { id: 1, fs_uniquifier: 'u', tf_primary_method: 'sms' }],
  ['frontegg', { id: 'a', mfaEnrolled: true }],
  ['gitlab', { id: 1, state: 'active', otp_required_for_login: true }],
  ['gitlab', { id: 1, state: 'active', two_factor_enabled: true }],
  ['joomla', { id: 1, username: 'ada', otpKey: 'totp:c2VhbGVk' }],
  ['kratos', { id: 'a', traits: { email: 'ada@example.org' }, credentials: { totp: { type: 'totp' } } }],
  [
    'kratos',
    { id: 'a', traits: { email: 'ada@example.org' }, credentials: { passkey: { type: 'passkey' } } },
    'mfa:webauthn',
  ],
  [
    'meteor',
    { _id: 'a', emails: [{ address: 'ada@example.org' }], services: { email2fa: { enabled: true } } },
  ],
  ['propelauth', { user_id: 'a', mfa_enabled: true }],
  ['stytch', { user_id: 'a', webauthn_registrations: [{ webauthn_registration_id: 'w' }] }, 'mfa:webauthn'],
])('%s: data that cannot move causes a note: %j', async (provider, user, code = 'mfa:other') => {
  const { tally } = await runTable({ provider, users: lines({ email: 'ada@example.org', ...user }) });
  expect(tally.reasons.get(code as 'mfa:other')).toBe(1);
});

const firebase = (cells: Readonly<Record<number, string>>, count: number) =>
  `${Array.from({ length: count }, (_, at) => cells[at] ?? '').join(',')},`;

test.each([28, 52])('a broken row of Firebase with %s columns is rejected', async (count) => {
  const broken = firebase({ 0: 'b', 1: 'bob@example.org', 27: '{"role":"admin","x":1}' }, count);
  const whole = firebase({ 0: 'a', 1: 'ada@example.org', 27: '"{""x"":1}"' }, count);
  const run = await runTable({ provider: 'firebase', users: `${broken}\n${whole}\n` });
  expect(run.users.map(({ userId }) => userId)).toEqual(['a']);
  expect(rejections(run)).toEqual([
    `record:not-json: line 1: ${count + 2} cells where there are ${count} titles`,
  ]);
  const all = runTable({ provider: 'firebase', users: `${broken}\n${broken}\n` });
  await expect(all).rejects.toThrow(`its rows have ${count + 2} cells, and not 28, 52`);
});

it('a Firebase user with only Game Center is not anonymous', async () => {
  const users = `${firebase({ 0: 'a', 36: 'G:1' }, 52)}\n${firebase({ 0: 'b' }, 52)}\n`;
  const flags = { 'email-fallback': 'placeholder', 'email-domain': 'example.org' };
  const run = await runTable({ provider: 'firebase', users, flags });
  expect(run.users.map(({ userId }) => userId)).toEqual(['a']);
});

describe('FusionAuth on MySQL', () => {
  const dump = (
    id: string,
  ) => `CREATE TABLE \`users\` (\`id\` binary(16), \`active\` tinyint(1), \`tenants_id\` binary(16));
INSERT INTO \`users\` VALUES (${id},1,${id});
CREATE TABLE \`identities\` (\`id\` bigint, \`email\` varchar(191), \`encryption_scheme\` varchar(255), \`factor\` int, \`users_id\` binary(16), \`verified\` tinyint(1));
INSERT INTO \`identities\` VALUES (1,'ada@example.org','bcrypt',10,${id},1);
`;

  it('converts its binary ids to UUIDs', async () => {
    const { users } = await runTable({
      provider: 'fusionauth',
      users: dump('0x00112233445566778899AABBCCDDEEFF'),
    });
    expect(users).toMatchObject([
      {
        userId: '00112233-4455-6677-8899-aabbccddeeff',
        user: { email: { email: 'ada@example.org', isEmailVerified: true } },
      },
    ]);
  });

  it('refuses a dump with raw bytes and suggests --hex-blob', async () => {
    const users = Buffer.from(dump("_binary '\\0\x11\xaa3DUfw\x88\x99\xaa\xbb\xcc\xdd\xee\xff'"), 'latin1');
    await expect(runTable({ provider: 'fusionauth', users })).rejects.toMatchObject({
      hint: expect.stringContaining('--hex-blob') as string,
    });
  });
});

it.each([
  ['entra', 'id,userPrincipalName\na,a@example.org\n', 'no record has accountEnabled or AccountEnabled,'],
  ['entra', 'id,userPrincipalName,accountEnabled\na,a@example.org,\n', ''],
  ['entra', lines({ id: 'a', userPrincipalName: 'a@example.org' }), 'from which the mapping of entra reads'],
  ['entra', lines({ id: 'a', userPrincipalName: 'a' }, { id: 'b', accountEnabled: true }), ''],
  ['openldap', 'dn: uid=a\nuid: a\nsn: x\n\ndn: uid=b\nuid: b\nsn: x\npwdAccountLockedTime: 1\n', ''],
  ['laravel', 'id,name,email,password\n1,a,a@example.org,\n', ''],
  [
    'nextcloud',
    "INSERT INTO oc_preferences (userid, appid, configkey, configvalue) VALUES ('a', 'core', 'enabled', 'false');\nINSERT INTO oc_users (uid, uid_lower, password) VALUES ('a', 'a', '');\n",
    '',
  ],
])('%s: a missing state column is reported once: %s', async (provider, users, text) => {
  const told = textsOf(await runTable({ provider, users }), 'map:no-state');
  expect(told).toHaveLength(text === '' ? 0 : 1);
  expect(told.join()).toContain(text);
});

it.each([
  ['laravel', 'id,name,email,password,is_active,bannedAt\n1,a,a@example.org,,0,\n', 'is_active, bannedAt:'],
  ['devise', 'id,email,encrypted_password,locked_at\n1,a,a@example.org,,0,\n', ''],
  [
    'django',
    lines({ model: 'staff.member', pk: 1, fields: { password: '', is_active: true, is_deleted: true } }),
    'fields.is_deleted:',
  ],
  ['kratos', lines({ id: 'a', traits: { email: 'a@example.org' }, metadata_public: { status: 1 } }), ''],
  [
    'json',
    lines({ u: { email: 'a@example.org', active: { at: 1 } } }),
    '',
    `idport: 1\nuser: { email: u.email, state: { active: { column: 'u["active"].at' } } }`,
  ],
])(
  '%s: unread columns about disabled users cause a warning unless the mapping lists them as unused',
  async (provider, users, text, map?: string) => {
    const told = textsOf(await runTable({ provider, users, ...(map && { map }) }), 'map:unread-state');
    expect(told).toHaveLength(text === '' ? 0 : 1);
    expect(told.join()).toContain(text);
  },
);

it('an encrypted TOTP secret of Supabase is noted as encrypted', async () => {
  const secret = JSON.stringify({ key_id: 'k', alg: 'aes-gcm-hkdf', data: 'AAAA', nonce: 'AAAA' });
  const { tally, users } = await runTable({
    provider: 'supabase',
    users: lines({ id: 'u-1', email: 'ada@example.org', raw_app_meta_data: {}, encrypted_password: '' }),
    tables: { factors: lines({ user_id: 'u-1', status: 'verified', factor_type: 'totp', secret }) },
  });
  expect(users).toHaveLength(1);
  expect(tally.reasons.get('otp:encrypted')).toBe(1);
  expect(tally.reasons.has('otp:malformed')).toBe(false);
});

it('md5_phpass of Clerk is written with a note that it may match no password', async () => {
  const hash = '$P$B9sCyeEsOkqEkAiRlzgFjYBDRKWRlA1';
  const users = `id,primary_email_address,password_digest,password_hasher\n1,ada@example.org,${hash},md5_phpass\n`;
  const folder = createTestFolder();
  const report = join(folder, 'report.json');
  const { hashes } = await runTable({ provider: 'clerk', users, flags: { report } });
  expect(hashes).toEqual({ 'ada@example.org': hash });
  expect(readFileSync(report, 'utf8')).toContain('this hash matches no password');
});

describe('pages of an API', () => {
  const page = (id: string, next = '') =>
    JSON.stringify({
      ...(next === '' ? {} : { '@odata.nextLink': next }),
      value: [{ id, userPrincipalName: `${id}@example.org`, accountEnabled: true }],
    });
  const scim = (totalResults: number) =>
    JSON.stringify({ totalResults, Resources: [{ userName: 'a', emails: [{ value: 'a@example.org' }] }] });

  it.each([
    ['entra', page('a', 'https://x'), 'the last page names a next one'],
    ['entra', `[${page('a', 'https://x')},${page('b', 'https://y')}]`, 'the last page names a next one'],
    ['entra', `${page('a', 'https://x')}\n${page('b')}`, ''],
    ['entra', `[${page('a', 'https://x')},${page('b')}]`, ''],
    ['scim', scim(3), 'the pages name 3 users in all and hold 1'],
    ['scim', `${scim(3)}\n`, 'the pages name 3 users in all and hold 1'],
    ['scim', `[${scim(3)},${scim(3)}]`, 'the pages name 3 users in all and hold 2'],
    ['scim', scim(1), ''],
    [
      'propelauth',
      '{"users":[{"user_id":"1","email":"a@x.example"}],"has_more_results":true}',
      'names a next',
    ],
    ['forgerock', '{"result":[{"_id":"1","userName":"ada"}],"pagedResultsCookie":"x"}', 'names a next'],
    [
      'forgerock',
      '{"_links":{"next":{"href":"https://x"}},"_embedded":{"users":[{"id":"1","email":"a@x.example"}]}}',
      'names a next',
    ],
  ])('%s: missing pages are reported: %s', async (provider, users, text) => {
    const told = textsOf(await runTable({ provider, users }), 'input:missing-pages');
    expect(told.join()).toMatch(text === '' ? /^$/ : text);
  });

  const empty = JSON.stringify({ schemas: [], totalResults: 2, startIndex: 3 });
  const [first, last] = ['a', 'b'].map((userName) =>
    JSON.stringify({ schemas: [], totalResults: 2, Resources: [{ schemas: [], id: userName, userName }] }),
  );
  it.each([
    [`${empty}\n${first}\n${last}\n`, 2],
    [`${first}\n${empty}\n${last}\n`, 2],
    [`[${empty},${first},${last}]`, 2],
    [`[${first},${last},${empty}]`, 2],
    [empty, 0],
  ])('of SCIM without users may lack the list: %s', async (users, read) => {
    expect((await runTable({ provider: 'scim', users })).tally.read).toBe(read);
  });

  it('of SCIM with an error are refused', async () => {
    const run = runTable({ provider: 'scim', users: `${first}\n${empty}\n{"status":"429"}\n` });
    await expect(run).rejects.toThrow('a page holds no list of users in Resources');
  });

  it('may be in files of any order', async () => {
    const files = { first: page('a', 'https://x') };
    const flags = { users: ['users', 'first'] };
    const { notices, users } = await runTable({ provider: 'entra', users: page('b'), files, flags });
    expect(users).toHaveLength(2);
    expect(notices).not.toContain('input:missing-pages');
  });
});
