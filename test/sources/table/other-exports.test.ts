/** Short exports of `fixtures/`, and the other ways to export from a source: the list of a console, the pages of an API. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { verifyPassword } from '../../../src/records/mcf/recognise.ts';
import { convertFiles } from '../../support/conversion.ts';
import { fixture } from '../../support/folder.ts';
import { folderOf, readFixture } from '../../support/samples.ts';
import { rejections, runTable } from '../../support/table-run.ts';
import { succeeded } from '../../support/desk.ts';

const bcrypt = '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.';

const shortExports: any[] = parse(readFileSync(fixture('short-exports.yaml'), 'utf8'));

it.each(shortExports)('$provider: $what', async ({ notes = {}, logins = {}, metadata = {}, ...given }) => {
  const { what, provider, users, tables, files, flags, ...expected } = given;
  const own = { roles: 'new:app', idp: 'google=310', ...flags };
  const run = await runTable({ provider, users, tables, files, flags: own });
  const unnoted = Object.fromEntries(Object.keys(notes).map((code) => [code, 0]));
  expect({
    what,
    found: run.users,
    inactive: run.users.filter(({ state }) => state).map(({ userId }) => userId),
    rejected: rejections(run),
    roles: run.orgs.flatMap(({ userGrants = [] }) => userGrants.flatMap(({ roleKeys }) => roleKeys)),
    notes: { ...unnoted, ...run.reasons },
  }).toMatchObject({ what, inactive: [], rejected: [], roles: [], notes, ...expected });
  expect(run.metadata).toEqual(metadata);
  expect(run.notices).not.toContain('map:lost-rows');
  for (const [name, password] of Object.entries<string>(logins))
    expect(await verifyPassword(run.hashes[name] ?? '', password)).toBe(true);
});

it('a page that is an error ends the run', async () => {
  const users = '[[{"id":"1","email":"a@example.org"}],{"error":429}]';
  await expect(runTable({ provider: 'json', users })).rejects.toThrow('page 2 holds no list of users');
});

describe('a file without user columns', () => {
  it.each([
    ['nextcloud', '{"alice":{"user_id":"alice","email":"a@example.org"},"bob":{"user_id":"bob"}}'],
    ['active-directory', 'Person,Department\nAda,Sales\n'],
    ['csv', 'Person,Department\nAda,Sales\n'],
    ['json', '[{"type":"header"},{"type":"table","data":[{"id":1}]}]'],
  ])('is refused for %s', async (provider, users) => {
    await expect(runTable({ provider, users })).rejects.toThrow(
      'none of the columns that tell who a user is',
    );
  });
});

it.each([
  ['laravel', 'email_verified_at', 'password'],
  ['devise', 'confirmed_at', 'encrypted_password'],
  ['flask-security', 'confirmed_at', 'password'],
  ['werkzeug', 'confirmed_at', 'password'],
  ['adonis', 'email_verified_at', 'password'],
  ['authjs', 'emailVerified', 'password'],
])(
  '%s: the word NULL of `mysql -B` verifies no address and deletes no user',
  async (provider, column, password) => {
    const row = ['1', 'ada@example.org', 'NULL', bcrypt, 'NULL'].join('\t');
    const { users } = await runTable({
      provider,
      users: `id\temail\t${column}\t${password}\tdeleted_at\n${row}\n`,
    });
    expect(users).toMatchObject([{ user: { email: { email: 'ada@example.org' } } }]);
    expect(users[0]?.user).not.toHaveProperty('email.isEmailVerified');
  },
);

it('Cognito: users of an external provider are not expected at idport jit', async () => {
  const users = `{"Users":[
{"Username":"google_0","UserStatus":"CONFIRMED","Enabled":true,"Attributes":[{"Name":"email","Value":"0@example.org"}]},
{"Username":"google_1","UserStatus":"EXTERNAL_PROVIDER","Enabled":true,"Attributes":[{"Name":"email","Value":"1@example.org"}]}]}`;
  const flags = ['--org=1', '--users=users', '--output=body.json', '--jit-list=list', '--jit-placeholder'];
  const { tally, users: written } = await convertFiles(['migrate', 'cognito', ...flags], { users });
  expect(tally?.signIn).toEqual(
    new Map([
      ['old-system', 1],
      ['set-password', 1],
    ]),
  );
  expect(written.map(({ user }) => user['hashedPassword'] !== undefined)).toEqual([true, false]);
});

it.each(['discourse', 'kratos', 'nextcloud', 'odoo', 'spring'])(
  '%s: a dump gives the same body as the fixture',
  async (source) => {
    const { flags = [], body } = readFixture(source);
    const users = readFileSync(join(folderOf(source), 'dump.sql'), 'utf8');
    const argv = ['migrate', source, '--org=1', '--users=dump.sql', ...flags];
    const { json } = await succeeded(convertFiles(argv, { 'dump.sql': users }));
    expect(json('importBody.json')).toEqual(body);
  },
);

it.each([
  ['symfony', 'locked', 1],
  ['symfony', 'expired', 1],
  ['symfony', 'expires_at', '2001-01-01 00:00:00'],
  ['spring', 'enabled', 'N'],
  ['entra', 'accountEnabled', 'FALSCH'],
  ['symfony', 'is_active', 'no'],
  ['spring', 'account_non_locked', false],
  ['spring', 'account_non_expired', false],
  ['moodle', 'auth', 'nologin'],
  ['scim', 'active', 0],
  ['scim', 'active', 'F'],
  ['scim', 'urn:ietf:params:scim:schemas:oracle:idcs:extension:userState:User', { locked: { on: true } }],
  ['scim', 'urn:scim:wso2:schema', { accountDisabled: true }],
  ['scim', 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', { accountLocked: 'true' }],
  ['onelogin', 'state', 0],
  ['onelogin', 'state', 3],
  ['onelogin', 'status', 3],
  ['forgerock', 'inetUserStatus', ['Inactive']],
  ['forgerock', 'account', { canAuthenticate: false, status: 'LOCKED' }],
  ['ldap', 'shadowExpire', 19000],
  ['openldap', 'shadowExpire', 19000],
  ['389ds', 'shadowExpire', 19000],
  ['ldap', 'nsRoleDN', ['cn=staff,dc=example', 'cn=nsManagedDisabledRole,dc=example']],
  ['389ds', 'nsRoleDN', ['cn=staff,dc=example', 'cn=nsManagedDisabledRole,dc=example']],
  ['ldap', 'inetUserStatus', 'Inactive'],
  ['ldap', 'fr-idm-accountStatus', 'inactive'],
  ['ldap', 'ds-pwp-account-expiration-time', '20200101000000Z'],
  ['freeipa', 'krbPrincipalExpiration', '20200101000000Z'],
  ['freeipa', 'dn', 'uid=ada,cn=staged users,cn=accounts,cn=provisioning,dc=example'],
  ['stytch', 'is_locked', true],
  ['laravel', 'banned_at', '2024-05-01 10:00:00'],
  ['frontegg', 'tenants', [{ tenantId: 't', isDisabled: true }]],
  ['descope', 'status', 'expired'],
])('%s: an account whose %s is %j is inactive', async (provider, column, value) => {
  const known = {
    id: 1,
    user_id: 1,
    userId: 1,
    uid: 'ada',
    username: 'ada',
    objectClass: 'inetOrgPerson',
    sn: 'Ada',
  };
  const email = 'ada@example.org';
  const row = { ...known, email, mail: email, emails: [email], enabled: true, [column]: value };
  const { users } = await runTable({ provider, users: JSON.stringify([row]) });
  expect(users.map(({ state }) => state)).toEqual(['USER_STATE_INACTIVE']);
});

it('ForgeRock: an expiring lock of PingOne is ignored, and emailVerified is read', async () => {
  const account = { canAuthenticate: false, status: 'LOCKED', unlockAt: new Date().toISOString() };
  const row = {
    id: 1,
    username: 'ada',
    email: 'ada@example.org',
    emailVerified: true,
    preferredLanguage: 'de-ch;q=0.8, en;q=0.7',
    enabled: true,
    account,
  };
  const { users } = await runTable({
    provider: 'forgerock',
    users: JSON.stringify({ _embedded: { users: [row] } }),
  });
  const user = { email: { isEmailVerified: true }, profile: { preferredLanguage: 'de' } };
  expect(users).toMatchObject([{ user }]);
  expect(users).not.toHaveProperty([0, 'state']);
});

it.each([
  ...['devise', 'symfony', 'adonis', 'payload', 'werkzeug', 'flask-security', 'phoenix'].map((provider) => [
    provider,
    'deleted_at',
  ]),
  ['devise', 'discarded_at'],
  ['payload', 'deletedAt'],
  ['authjs', 'deletedAt'],
  ['lucia', 'deletedAt'],
])('%s: a user with %s is skipped', async (provider, column) => {
  const row = { id: 1, email: 'ada@example.org', [column]: '2024-05-01 10:00:00' };
  const result = await runTable({
    provider,
    users: JSON.stringify([row, { ...row, id: 2, [column]: null }]),
  });
  expect(rejections(result)).toEqual(['user-skipped:by-mapping: deleted']);
  expect(result.users).toHaveLength(1);
});

it('ASP.NET Identity: role ids, claims, locks, unnamed links and factors without a key are read', async () => {
  const lock = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const row = (id: string, ...cells: string[]) => [id, `${id}@example.org`, ...cells].join(',');
  const users = [
    'Id,Email,TwoFactorEnabled,LockoutEnd,LockoutEnabled',
    row('off', '0', '9999-12-31', '0'),
    row('ends', '0', lock, '1'),
    row('ever', '1', '9999-12-31', '1'),
  ];
  const claims = ['given_name,Ada', 'company,acme', 'company,globex'].map((claim) => `off,${claim}`);
  const tables = {
    roles: 'UserId,RoleId\noff,r-1\n',
    claims: ['UserId,ClaimType,ClaimValue', ...claims, 'ends,name,Eve Nds'].join('\n'),
    logins: 'UserId,LoginProvider,ProviderKey,ProviderDisplayName\nends,Google,g1,Google\n',
  };
  const files = { 'orgs.csv': 'key,id\nglobex,12\nacme,11\n' };
  const flags = { idp: 'Google=77', 'org-by': 'attribute:company', 'org-map': 'orgs.csv', report: 'r.json' };
  const run = await runTable({ provider: 'aspnet-identity', users: users.join('\n'), tables, files, flags });
  expect(run.orgs).toMatchObject([
    { orgId: '11', humanUsers: [{ userId: 'off' }] },
    { orgId: '1', humanUsers: [{ user: { idps: [{ externalUserId: 'g1' }] } }, {}] },
  ]);
  expect(JSON.stringify(run.orgs)).not.toContain('"displayName":"Google"');
  const notes = (run.json('r.json').users as any[]).flatMap(({ id, reasons }) =>
    reasons.map(({ code, detail = '' }: any) => `${id} ${code} ${detail}`),
  );
  expect(notes).toEqual(
    expect.arrayContaining([
      'off role:not-migrated r-1',
      'off org:further globex',
      'off attribute:not-migrated 2 attributes',
      `ends state:ends ${lock}`,
      'ever mfa:other SMS or email',
    ]),
  );
  expect(notes.join()).not.toMatch(/off state|ever state:ends|ends attribute/);
});

it('--org-by warns if it finds no organization for any user', async () => {
  const notices = async (rule: string) => {
    const flags = { 'org-by': rule, 'org-map': 'orgs.csv' };
    const files = { 'orgs.csv': 'key,id\nother,9\n' };
    const users = '[{"Id":"1","Email":"a@example.org","PasswordHash":""}]';
    return (await runTable({ provider: 'aspnet-identity', users, files, flags })).notices;
  };
  expect(await notices('attribute:company')).toContain('org:no-match');
  expect(await notices('domain')).not.toContain('org:no-match');
});

it('titles with dots are read, and not named as unread', async () => {
  const users = 'primaryEmail,id,suspended,phones.0.value\na@x.ch,1,False,+41791234567\n';
  const { notices } = await runTable({ provider: 'google-workspace', users });
  expect(notices).not.toContain('map:unused-column');
});
