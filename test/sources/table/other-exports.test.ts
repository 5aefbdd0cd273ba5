/** The other ways to export from a source: the list of a console, PowerShell, the pages of an API. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyPassword } from '../../../src/records/mcf/recognise.ts';
import type { Conversion } from '../../../src/index.ts';
import { convertFiles } from '../../support/conversion.ts';
import { folderOf, readFixture } from '../../support/samples.ts';
import { rejections, runTable, type TableRun } from '../../support/table-run.ts';
import { succeeded } from '../../support/desk.ts';

const guid = '6ea91a8d-e32e-41a1-b7bd-d2d185eed0e0';
const bcrypt = '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.';

const roleKeysOf = async (run: TableRun) => {
  const { orgs, notices } = await runTable({ ...run, flags: { roles: 'new:app' } });
  expect(notices).not.toContain('map:lost-rows');
  return orgs.flatMap(({ userGrants = [] }) => userGrants.flatMap(({ roleKeys }) => roleKeys));
};

/** Of each user: id, name, email, last name, and `inactive` where the target is told so. */
type Row = readonly [id: string, userName: string, email: string, lastName: string, state?: 'inactive'];

const exports: readonly (readonly [Conversion['provider'], what: string, users: string, readonly Row[]])[] = [
  [
    'django',
    'a user whose password is empty',
    `[{"model":"auth.user","pk":1,"fields":{"username":"ada","password":"","last_login":null,"is_superuser":false,"last_name":"Lovelace","email":"ada@example.org"}},
{"model":"auth.user","pk":2,"fields":{"username":"bob","password":"!","last_login":null,"is_superuser":false,"last_name":"Builder","email":"bob@example.org"}}]`,
    [
      ['1', 'ada', 'ada@example.org', 'Lovelace'],
      ['2', 'bob', 'bob@example.org', 'Builder'],
    ],
  ],
  [
    'payload',
    'a page of the API',
    '{"docs":[{"id":"7","email":"ada@example.org","lastName":"Lovelace"}],"totalDocs":1,"limit":10}',
    [['7', 'ada@example.org', 'ada@example.org', 'Lovelace']],
  ],
  [
    'google-workspace',
    'the download of the Admin console',
    `First Name [Required],Last Name [Required],Email Address [Required],Password [Required],Org Unit Path [Required],Status [READ ONLY],Last Sign In [READ ONLY],Mobile Phone
Ada,Lovelace,ada@example.org,****,/,Active,2024/01/01 10:00:00,+41441234567
Bob,Builder,bob@example.org,****,/Sales,Suspended,Never logged in,
`,
    [
      [expect.any(String) as never, 'ada@example.org', 'ada@example.org', 'Lovelace'],
      [expect.any(String) as never, 'bob@example.org', 'bob@example.org', 'Builder', 'inactive'],
    ],
  ],
  [
    'entra',
    'the download of the portal',
    `userPrincipalName,displayName,surname,mail,givenName,objectId,userType,accountEnabled,creationType
ada@contoso.example,Ada Lovelace,Lovelace,ada@example.org,Ada,${guid},Member,True,
bob_example.net#EXT#@contoso.example,Bob,Builder,bob@example.net,Bob,b-2,Guest,False,Invitation
`,
    [
      [guid, 'ada@contoso.example', 'ada@example.org', 'Lovelace'],
      ['b-2', 'bob@example.net', 'bob@example.net', 'Builder', 'inactive'],
    ],
  ],
  [
    'entra',
    'Get-MgUser and Export-Csv',
    `"UserPrincipalName","DisplayName","Surname","Mail","GivenName","Id","UserType","AccountEnabled"
"ada@contoso.example","Ada Lovelace","Lovelace","ada@example.org","Ada","${guid}","Member","False"
`,
    [[guid, 'ada@contoso.example', 'ada@example.org', 'Lovelace', 'inactive']],
  ],
  [
    'active-directory',
    'Get-ADUser and Export-Csv',
    `#TYPE Microsoft.ActiveDirectory.Management.ADUser
"DistinguishedName","Enabled","GivenName","Name","ObjectClass","ObjectGUID","SamAccountName","SID","Surname","UserPrincipalName","mail"
"CN=Ada,DC=contoso","True","Ada","Ada Lovelace","user","${guid}","ada","S-1-5-21-1105","Lovelace","ada@contoso.example","ada@example.org"
"CN=Bob,DC=contoso","False","Bob","Bob","user","b-2","bob","S-1-5-21-1106","Builder","bob@contoso.example",""
"CN=krbtgt,DC=contoso","False","","krbtgt","user","b-3","krbtgt","S-1-5-21-502","","",""
`,
    [
      [guid, 'ada@contoso.example', 'ada@example.org', 'Lovelace'],
      ['b-2', 'bob@contoso.example', 'bob@contoso.example', 'Builder', 'inactive'],
    ],
  ],
  [
    'active-directory',
    'csvde',
    `DN,objectClass,cn,sn,givenName,sAMAccountName,userPrincipalName,objectGUID,userAccountControl
"CN=Ada,DC=contoso",user,Ada Lovelace,Lovelace,Ada,ada,ada@contoso.example,X'8d1aa96e2ee3a141b7bdd2d185eed0e0',512
"CN=Bob,DC=contoso",top;person;organizationalPerson;user,Bob,Builder,Bob,bob,bob@contoso.example,X'8e1aa96e2ee3a141b7bdd2d185eed0e0',514
"CN=PC,DC=contoso",computer,PC,,,PC$,,X'8f1aa96e2ee3a141b7bdd2d185eed0e0',4096
`,
    [
      [guid, 'ada@contoso.example', 'ada@contoso.example', 'Lovelace'],
      [guid.replace('8d', '8e'), 'bob@contoso.example', 'bob@contoso.example', 'Builder', 'inactive'],
    ],
  ],
  [
    'active-directory',
    'LDIF with names as PowerShell writes them',
    `dn: CN=Ada\nObjectGUID:: jRqpbi7joUG3vdLRhe7Q4A==\nUserPrincipalName: ada@contoso.example\nsn: Lovelace\n`,
    [[guid, 'ada@contoso.example', 'ada@contoso.example', 'Lovelace']],
  ],
  [
    'gitea',
    'the list of the API',
    `[{"id":1,"login":"ada","login_name":"","source_id":0,"full_name":"Ada Lovelace","email":"ada@example.org","language":"de-DE","is_admin":false,"active":true,"prohibit_login":false,"username":"ada"},
{"id":2,"login":"bob","full_name":"Bob Builder","email":"bob@example.org","active":true,"prohibit_login":true}]`,
    [
      ['gitea-1', 'ada', 'ada@example.org', 'Lovelace'],
      ['gitea-2', 'bob', 'bob@example.org', 'Builder', 'inactive'],
    ],
  ],
  [
    'authentik',
    'a page of the API, on one line',
    `{"pagination":{"next":0,"count":1},"results":[{"pk":5,"username":"ada","name":"Ada Lovelace","is_active":true,"groups":[],"email":"ada@example.org","attributes":{},"uid":"abc","path":"users","type":"internal","uuid":"${guid}"}]}`,
    [[guid, 'ada', 'ada@example.org', 'Lovelace']],
  ],
  [
    'spring',
    'a dump of rows alone, with columns of one bit',
    `INSERT INTO \`jhi_user\` (id, login, password_hash, last_name, email, activated) VALUES
(1, 'ada', '', 'Lovelace', 'ada@example.org', _binary '\u0001'), (2, 'bob', '', 'Builder', 'bob@example.org', _binary '\\0'),
(3, 'cyn', '', 'Cole', 'cyn@example.org', 0x00);
`,
    [
      ['1', 'ada', 'ada@example.org', 'Lovelace'],
      ['2', 'bob', 'bob@example.org', 'Builder', 'inactive'],
      ['3', 'cyn', 'cyn@example.org', 'Cole', 'inactive'],
    ],
  ],
  [
    'spring',
    'columns of one bit in the batch mode of MySQL',
    'id\tlogin\tpassword_hash\tlast_name\temail\tactivated\n1\tada\t\tLovelace\tada@example.org\t\u0001\n2\tbob\t\tBuilder\tbob@example.org\t\\0\n',
    [
      ['1', 'ada', 'ada@example.org', 'Lovelace'],
      ['2', 'bob', 'bob@example.org', 'Builder', 'inactive'],
    ],
  ],
  [
    'drupal',
    'a dump of version 7',
    `INSERT INTO users (uid, name, pass, mail, status, language) VALUES (0, '', '', '', 0, ''), (2, 'ada', '', 'ada@example.org', 0, '');
INSERT INTO authmap (uid, authname, module) VALUES (2, 'http://ada.example.org/', 'openid');
`,
    [['drupal-2', 'ada', 'ada@example.org', 'ada', 'inactive']],
  ],
  [
    'gitlab',
    'records that do not say the state, as of other sources',
    `[{"id":1,"username":"ada","email":"ada@example.org","web_url":"","two_factor_enabled":false},
{"id":2,"username":"bob","email":"bob@example.org","web_url":"","two_factor_enabled":false,"state":"blocked"}]`,
    [
      ['gitlab-1', 'ada', 'ada@example.org', 'ada'],
      ['gitlab-2', 'bob', 'bob@example.org', 'bob', 'inactive'],
    ],
  ],
  [
    'lucia',
    'an address that stands only in the name of the login',
    `CREATE TABLE auth_user (id TEXT, username TEXT);
INSERT INTO auth_user VALUES ('u1', 'ada');
CREATE TABLE auth_key (id TEXT, user_id TEXT, hashed_password TEXT);
INSERT INTO auth_key VALUES ('username:ada', 'u1', 's2:a:b'), ('email:ada@example.org', 'u1', 's2:a:b');
`,
    [['u1', 'ada', 'ada@example.org', 'ada']],
  ],
  [
    'parse',
    'the export of Parse.com',
    `{"results":[{"objectId":"abc","username":"ada","name":"Ada Lovelace","email":"ada@example.org","bcryptPassword":"${bcrypt}"}]}`,
    [['abc', 'ada', 'ada@example.org', 'Lovelace']],
  ],
];

it.each(exports)('%s reads %s', async (provider, _, users, rows) => {
  const result = await runTable({ provider, users });
  expect(rejections(result).filter((one) => !one.startsWith('user-skipped:by-mapping'))).toEqual([]);
  const found = result.users.map(({ userId, user, state }) => [
    userId,
    user.userName,
    (user['email'] as { email: string }).email,
    (user['profile'] as { lastName: string }).lastName,
    ...(state === undefined ? [] : ['inactive']),
  ]);
  expect(found).toEqual(rows);
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

it('Discourse: the salt is also read from the table of users', async () => {
  const users =
    'id,username,email,suspended_till,staged,password_hash,salt,password_algorithm\n5,ada,a@example.org,,f,76e9bd237090f7fab4cfa248c4611b33bd02f9c396f0866cbf618f96f4a0f019,abcdef0123,\n';
  const { hashes } = await runTable({ provider: 'discourse', users });
  expect(await verifyPassword(hashes['ada'] ?? '', 'secret')).toBe(true);
});

it('Supabase: metadata that only tells how the user signs in is ignored', async () => {
  const users = `[{"id":"1","email":"1@example.org","raw_user_meta_data":{},"raw_app_meta_data":{"provider":"email","providers":["email"]}},
{"id":"2","email":"2@example.org","raw_user_meta_data":{},"raw_app_meta_data":{"provider":"email","providers":["email","google"]}},
{"id":"3","email":"3@example.org","raw_user_meta_data":{},"raw_app_meta_data":{"provider":"email","plan":"gold"}},
{"id":"4","email":"4@example.org","raw_user_meta_data":{},"raw_app_meta_data":{}}]`;
  const result = await runTable({ provider: 'supabase', users });
  expect(result.tally.reasons.get('attribute:not-migrated')).toBe(2);
});

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

/** Where the users have their roles, in a database that has further ones. */
const withRoles: readonly (readonly [Conversion['provider'], string])[] = [
  [
    'aspnet-identity',
    `INSERT INTO AspNetUsers (Id, UserName, Email) VALUES ('u', 'ada', 'ada@example.org');
INSERT INTO AspNetUserRoles (UserId, RoleId) VALUES ('u', 'r7');
INSERT INTO AspNetRoles (Id, Name) VALUES ('r8', 'reader');
INSERT INTO AspNetRoles (Id, Name) VALUES ('r7', 'editor');
`,
  ],
  ...['ak_groups', 'groups'].map(
    (groups) =>
      [
        'authentik',
        `INSERT INTO authentik_core_group (group_uuid, name) VALUES ('g7', 'editor');
INSERT INTO authentik_core_user (id, username, email) VALUES (1, 'ada', 'ada@example.org');
INSERT INTO authentik_core_user_${groups} (id, user_id, group_id) VALUES (1, 1, 'g7');
`,
      ] as const,
  ),
  [
    'authentik',
    `INSERT INTO authentik_core_group (group_uuid, name) VALUES ('g7', 'editor');
INSERT INTO authentik_core_group (group_uuid, name) VALUES ('g8', '');
INSERT INTO authentik_core_groupancestry (id, descendant_id, ancestor_id) VALUES ('x', 'g8', 'g9');
INSERT INTO authentik_core_groupancestry (id, descendant_id, ancestor_id) VALUES ('y', 'g8', 'g7');
INSERT INTO authentik_core_user (id, username, email) VALUES (1, 'ada', 'ada@example.org');
INSERT INTO authentik_core_user_groups (id, user_id, group_id) VALUES (1, 1, 'g8');
`,
  ],
  [
    'discourse',
    `INSERT INTO group_users (id, group_id, user_id) VALUES (1, 7, 1);
INSERT INTO groups (id, name) VALUES (7, 'editor');
INSERT INTO users (id, username, email) VALUES (1, 'ada', 'ada@example.org');
`,
  ],
  [
    'django',
    `INSERT INTO auth_group (id, name) VALUES (7, 'editor');
INSERT INTO people_user (id, username, email) VALUES (1, 'ada', 'ada@example.org');
INSERT INTO people_user_groups (id, user_id, group_id) VALUES (1, 1, 7);
`,
  ],
  [
    'django',
    `[{"model":"auth.group","pk":1,"fields":{"name":"other"}},{"model":"auth.group","pk":7,"fields":{"name":"editor"}},
{"model":"auth.user","pk":1,"fields":{"username":"ada","email":"ada@example.org","password":"","last_login":null,"groups":[7]}}]`,
  ],
  [
    'django',
    `[{"model":"auth.group","fields":{"name":"other"}},{"model":"auth.group","fields":{"name":"editor"}},
{"model":"auth.user","pk":1,"fields":{"username":"ada","email":"ada@example.org","password":"","last_login":null,"groups":[["editor"]]}}]`,
  ],
  [
    'devise',
    `INSERT INTO roles (id, name) VALUES (7, 'editor');
INSERT INTO users (id, email, encrypted_password) VALUES (1, 'ada@example.org', '');
INSERT INTO users_roles (user_id, role_id) VALUES (1, 7);
`,
  ],
  [
    'active-directory',
    `[{"ObjectGUID":"${guid}","SamAccountName":"ada","mail":"ada@example.org","MemberOf":["CN=editor,DC=x"]}]`,
  ],
  [
    'forgerock',
    '{"_embedded":{"users":[{"id":"1","username":"ada","email":"ada@example.org","memberOfGroupNames":["editor"]}]}}',
  ],
  [
    'drupal',
    `INSERT INTO user__roles (deleted, entity_id, roles_target_id) VALUES (0, 1, 'editor');
INSERT INTO user__roles (deleted, entity_id, roles_target_id) VALUES (1, 1, 'former');
INSERT INTO users_field_data (uid, name, mail, default_langcode) VALUES (1, 'ada', 'ada@example.org', 1);
`,
  ],
  [
    'drupal',
    `INSERT INTO role (rid, name) VALUES (3, 'editor');
INSERT INTO users (uid, name, mail, pass) VALUES (1, 'ada', 'ada@example.org', '');
INSERT INTO users_roles (uid, rid) VALUES (1, 3);
`,
  ],
  [
    'flask-security',
    `INSERT INTO role (id, name) VALUES (7, 'editor');
INSERT INTO roles_users (user_id, role_id) VALUES (1, 7);
INSERT INTO user (id, username, email) VALUES (1, 'ada', 'ada@example.org');
`,
  ],
  [
    'joomla',
    `INSERT INTO j_users (id, username, email) VALUES (1, 'ada', 'ada@example.org');
INSERT INTO j_user_usergroup_map (user_id, group_id) VALUES (1, 7);
INSERT INTO j_usergroups (id, title) VALUES (7, 'editor');
`,
  ],
  [
    'laravel',
    `INSERT INTO model_has_roles (role_id, model_type, model_id) VALUES (8, 'Team', 1);
INSERT INTO model_has_roles (role_id, model_type, model_id) VALUES (7, 'User', 1);
INSERT INTO roles (id, name) VALUES (7, 'editor');
INSERT INTO roles (id, name) VALUES (8, 'owner');
INSERT INTO users (id, name, email) VALUES (1, 'Ada', 'ada@example.org');
`,
  ],
  [
    'mediawiki',
    `INSERT INTO user (user_id, user_name, user_email, user_password) VALUES (1, 'Ada', 'ada@example.org', '');
INSERT INTO user_groups (ug_user, ug_group, ug_expiry) VALUES (1, 'editor', NULL);
INSERT INTO user_groups (ug_user, ug_group, ug_expiry) VALUES (1, 'former', '20010101000000');
`,
  ],
  ...['["editor"]', '[{"_id":"editor","scope":null,"assigned":true}]'].map(
    (roles) =>
      [
        'meteor',
        `{"_id":"u","emails":[{"address":"ada@example.org"}],"services":{},"roles":${roles}}\n`,
      ] as const,
  ),
  [
    'nextcloud',
    `INSERT INTO oc_group_user (gid, uid) VALUES ('editor', 'ada');
INSERT INTO oc_users (uid, email) VALUES ('ada', 'ada@example.org');
`,
  ],
  [
    'nhost',
    `INSERT INTO auth.user_roles (id, user_id, role) VALUES (1, 'u', 'editor');
INSERT INTO auth.users (id, email) VALUES ('u', 'ada@example.org');
`,
  ],
  [
    'phpbb',
    `INSERT INTO phpbb_acl_groups (group_id, auth_option_id) VALUES (7, 1);
INSERT INTO phpbb_extension_groups (group_id, group_name, cat_id) VALUES (7, 'IMAGES', 1);
INSERT INTO phpbb_groups (group_id, group_name) VALUES (7, 'editor');
INSERT INTO phpbb_user_group (group_id, user_id, user_pending) VALUES (7, 1, 0);
INSERT INTO phpbb_user_group (group_id, user_id, user_pending) VALUES (8, 1, 1);
INSERT INTO phpbb_users (user_id, user_type, username, user_email) VALUES (1, 0, 'ada', 'ada@example.org');
`,
  ],
  [
    'spring',
    `INSERT INTO authorities (username, authority) VALUES ('ada', 'editor');
INSERT INTO users (username, email) VALUES ('ada', 'ada@example.org');
`,
  ],
  [
    'spring',
    `INSERT INTO AUTHORITIES (USERNAME, AUTHORITY) VALUES ('ada', 'editor');
INSERT INTO USERS (USERNAME, EMAIL) VALUES ('ada', 'ada@example.org');
`,
  ],
  [
    'supertokens',
    `INSERT INTO emailpassword_users (user_id, email) VALUES ('u', 'ada@example.org');
INSERT INTO user_roles (user_id, role) VALUES ('u', 'editor');
`,
  ],
  [
    'symfony',
    `INSERT INTO user (id, email, roles) VALUES (1, 'ada@example.org', '["editor"]');
`,
  ],
  [
    'symfony',
    `INSERT INTO user (id, email, roles) VALUES (1, 'ada@example.org', 'a:1:{i:0;s:6:"editor";}');
`,
  ],
];

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

it.each([
  ['parse', { email: 'ada@example.org', _auth_data_microsoft: { id: 'm' } }],
  ['meteor', { services: { twitter: { id: 't' }, github: { id: 5, email: 'ada@example.org' }, resume: {} } }],
])('%s: a login at an unmapped provider causes a note', async (provider, login) => {
  const users = JSON.stringify({ _id: 'a', username: 'ada', ...login });
  const run = await runTable({ provider, users, flags: { idp: 'github=310' } });
  expect(run.tally.reasons.get('idp:unmapped-alias')).toBe(1);
  expect(run.users).toMatchObject([{ user: { email: { email: 'ada@example.org' } } }]);
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

const person = (id: string) =>
  `dn: uid=ada,dc=example\nobjectClass: person\n${id}: ${guid}\nuid: ada\nsn: Ada\nmail: ada@example.org\n`;

it.each([
  ['389ds', 'nsUniqueId'],
  ['freeipa', 'ipaUniqueID'],
  ['ldap', 'entryUUID'],
])('%s: a tombstone of a deleted user is skipped', async (provider, id) => {
  const result = await runTable({ provider, users: `${person(id)}objectClass: nsTombstone\n` });
  expect(rejections(result)).toEqual(['user-skipped:by-mapping: deleted']);
});

it.each([
  ['active-directory', `${person('objectGUID')}objectClass: user\nsAMAccountName: ada\npwdLastSet: 0\n`],
  ['openldap', `${person('entryUUID')}pwdReset: TRUE\n`],
  ['ldap', `${person('entryUUID')}pwdReset: TRUE\n`],
  [
    'mediawiki',
    'user_id,user_name,user_email,user_password,user_password_expires\n1,Ada,a@example.org,,20240101000000\n',
  ],
  ['logto', '[{"id":"a","primary_email":"a@example.org","is_password_expired":true}]'],
  ['stytch', '[{"user_id":"a","email":"a@example.org","password":{"requires_reset":true}}]'],
])('%s: a required password change causes a note', async (provider, users) => {
  const { tally } = await runTable({ provider, users });
  expect(tally.reasons.get('required-action:not-migrated')).toBe(1);
});

it('SuperTokens: users with external ids keep their other data', async () => {
  const users = `INSERT INTO userid_mapping (supertokens_user_id, external_user_id) VALUES ('s-1', 'own-1');
INSERT INTO emailverification_verified_emails (user_id, email) VALUES ('own-1', 'ada@example.org');
INSERT INTO totp_user_devices (user_id, secret_key, period, verified) VALUES ('own-1', 'JBSWY3DPEHPK3PXP', 30, true);
INSERT INTO user_roles (user_id, role) VALUES ('own-1', 'editor');
INSERT INTO user_metadata (user_id, user_metadata) VALUES ('own-1', '{"plan":"gold"}');
INSERT INTO emailpassword_users (app_id, user_id, email, password_hash) VALUES ('public', 's-1', 'ada@example.org', '');
`;
  const flags = { roles: 'new:app', metadata: 'attributes' };
  const run = await runTable({ provider: 'supertokens', users, flags });
  const user = { email: { isEmailVerified: true }, otpCode: 'JBSWY3DPEHPK3PXP' };
  expect(run.users).toMatchObject([{ userId: 'own-1', user }]);
  expect(run.metadata).toEqual({ userMetadata: '{"plan":"gold"}' });
  expect(run.orgs).toMatchObject([{ userGrants: [{ roleKeys: ['role:editor'] }] }]);
});

it.each([
  [
    'moodle',
    'an account of web services is no user',
    'id,auth,username,email,suspended\n5,webservice,ws,ws@example.org,0\n',
    'user-skipped:by-mapping: web service',
  ],
  [
    'entra',
    'a local account of B2C has no address without its identities',
    `[{"id":"${guid}","userPrincipalName":"${guid}@contoso.onmicrosoft.com","mail":null,"accountEnabled":true}]`,
    'user-skipped:no-email: ',
  ],
  [
    'odoo',
    'a login that is no address is none',
    'id,login,password,share,email\n2,admin,,f,\n',
    'user-skipped:no-email: ',
  ],
])('%s: %s', async (provider, _, users, rejection) => {
  expect(rejections(await runTable({ provider, users }))).toEqual([rejection]);
});

it('htpasswd: lines that start with # are skipped, and quotes are plain characters', async () => {
  const users = `# added 12:30\n"# staff\nada:${bcrypt}\n#bob:${bcrypt}\n# x: "\n"eve:${bcrypt}\n"# end\n`;
  const tables = {
    passwd: '# "\nada:x:7:7:"Ada" Lovelace:/home/ada:/bin/sh\n"eve:x:8:8:"Eve Eden:/home/eve:/bin/sh\n# "\n',
  };
  const flags = { 'email-fallback': 'placeholder', 'email-domain': 'example.org' };
  const { tally, users: found, events } = await runTable({ provider: 'htpasswd', users, tables, flags });
  expect(found.map(({ user }) => [user.userName, user.profile.firstName])).toEqual([
    ['ada', '"Ada"'],
    ['"eve', '"Eve'],
  ]);
  expect(tally).toMatchObject({ read: 4, rejected: 2 });
  expect(events).not.toContainEqual(expect.objectContaining({ code: 'map:lost-rows' }));
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

it('Odoo: a group becomes a role of its category, also with translated names', async () => {
  const users = `INSERT INTO ir_module_category (id, name) VALUES (3, '{"fr_FR": "Ventes"}');
INSERT INTO ir_module_category (id, name) VALUES (4, 'Stock');
INSERT INTO res_groups (id, name, category_id) VALUES (7, '{"de_DE": "Leitung", "en_US": "Manager"}', 3);
INSERT INTO res_groups (id, name, category_id) VALUES (8, 'Manager', 4);
INSERT INTO res_groups (id, name, category_id) VALUES (9, 'Technical', NULL);
INSERT INTO res_groups (id, name, category_id, privilege_id) VALUES (10, 'Manager', NULL, 5);
INSERT INTO res_groups_users_rel (gid, uid) VALUES (7, 1);
INSERT INTO res_groups_users_rel (gid, uid) VALUES (8, 1);
INSERT INTO res_groups_users_rel (gid, uid) VALUES (9, 1);
INSERT INTO res_groups_users_rel (gid, uid) VALUES (10, 1);
INSERT INTO res_users (id, login, password, share) VALUES (1, 'ada@example.org', '', 'f');
`;
  const roleKeys = ['role:5:Manager', 'role:Stock:Manager', 'role:Technical', 'role:Ventes:Manager'];
  expect(await roleKeysOf({ provider: 'odoo', users })).toEqual(roleKeys);
});

it('control characters in a role are removed with a note', async () => {
  const users = 'id,username,email,password,groups\n1,ada,ada@example.org,,"[""ed\\u0007itor\\n""]"\n';
  const { orgs, tally } = await runTable({ provider: 'django', users, flags: { roles: 'new:app' } });
  expect(orgs).toMatchObject([{ userGrants: [{ roleKeys: ['role:ed itor'] }] }]);
  expect(tally.reasons.get('field:cleaned')).toBe(1);
});

it('Kratos: the trait name may be a string, and a phone extension is dropped with a note', async () => {
  const users = `[{"id":"1","schema_id":"x","traits":{"email":"ada@example.org","name":"Ada Lovelace","phone":"+49 30 123456 x5"}},
{"id":"2","schema_id":"x","traits":{"email":"eve@example.org","name":{"full":"Eve Nds"}}}]`;
  const { users: written, tally } = await runTable({ provider: 'kratos', users });
  expect(tally.reasons.get('field:truncated')).toBe(1);
  expect(written.map(({ user }) => user['profile'])).toMatchObject([
    { firstName: 'Ada', lastName: 'Lovelace' },
    { firstName: 'eve@example.org' },
  ]);
});

it.each(withRoles)('%s: roles are read by name', async (provider, users) => {
  expect(await roleKeysOf({ provider, users })).toEqual(['role:editor']);
});

it.each([
  ['laravel', 'roles', `"[{'name': 'editor'}, {'name': 'staff'}]"`],
  ['laravel', 'roles', `"{'name': 'editor'}"`],
  ['laravel', 'roles', '"[{""name"":""editor"",""x"'],
  ['laravel', 'roles', '"a:1:{i:0;s:1:""x"";}"'],
  ['laravel', 'roles', '"[""editor"",""staff""]"', 'role:editor', 'role:staff'],
  ['django', 'groups', '"editor, staff"', 'role:editor', 'role:staff'],
  ['django', 'groups', '"{editor,staff}"', 'role:editor', 'role:staff'],
])(
  '%s: role names in one column are read if their form is known: %s %s',
  async (provider, column, cell, ...names) => {
    const users = `id,username,email,password,${column}\n1,ada,ada@example.org,,${cell}\n`;
    expect(await roleKeysOf({ provider, users })).toEqual(names);
  },
);

it('SCIM: groups and roles of a user become roles, and groups are no users', async () => {
  const users = `{"Resources":[{"schemas":[],"id":"1","userName":"ada","emails":[{"value":"ada@example.org"}],"groups":[{"value":"g","display":"Staff"}],"roles":[{"value":"editor"}]},
{"schemas":[],"id":"g","displayName":"Staff","meta":{"resourceType":"Group"}}]}`;
  const { orgs, tally } = await runTable({
    provider: 'scim',
    users,
    files: { last: '{"schemas":[],"totalResults":2,"startIndex":3}' },
    flags: { users: ['users', 'last'], roles: 'new:app' },
  });
  expect(tally).toMatchObject({ read: 2, skipped: 1 });
  expect(orgs).toMatchObject([{ userGrants: [{ roleKeys: ['role:Staff', 'role:editor'] }] }]);
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

const otp = ['JBSWY3DPEHPK3PXP', 'KRSXG5CTMVRXEZLU'];
const inBase64 = ['SGVsbG8h3q2+7w==', 'VGVzdFNlY3JldA=='];
const inHex = ['48656c6c6f21deadbeef', '54657374536563726574'];
const linked = { idps: [{ configId: '310', externalUserId: '108' }] };
const extra = [{ otpCode: otp[0] }, { 'otp:extra': 1 }] as const;
/** A user with two devices: the first moves, the other is noted. */
const devices: readonly (readonly [Conversion['provider'], string])[] = [
  [
    'supabase',
    `INSERT INTO auth.users (id, email, encrypted_password) VALUES ('a', 'a@x.ch', '');
INSERT INTO auth.mfa_factors (user_id, factor_type, status, secret) VALUES ('a', 'totp', 'unverified', 'x'), ('a', 'totp', 'verified', '${otp[0]}'), ('a', 'totp', 'verified', '${otp[1]}');
`,
  ],
  [
    'moodle',
    `INSERT INTO mdl_user (id, auth, username, email, suspended) VALUES (1, 'manual', 'ada', 'a@x.ch', 0);
INSERT INTO mdl_tool_mfa (userid, factor, secret, revoked) VALUES (1, 'totp', '${otp[0]}', 0), (1, 'totp', '${otp[1]}', 0);
`,
  ],
  [
    'django',
    `INSERT INTO auth_user (id, username, email, password) VALUES (1, 'ada', 'a@x.ch', '');
INSERT INTO otp_totp_totpdevice (user_id, confirmed, \`key\`, digits, step) VALUES (1, 0, 'aa', 6, 30), (1, 1, '${inHex[0]}', 6, 30), (1, 1, '${inHex[1]}', 6, 30);
`,
  ],
  [
    'authentik',
    `INSERT INTO authentik_core_user (id, username, email) VALUES (1, 'ada', 'a@x.ch');
INSERT INTO authentik_stages_authenticator_totp_totpdevice (user_id, confirmed, \`key\`, digits, step) VALUES (1, 1, '${inHex[0]}', 6, 30), (1, 1, '${inHex[1]}', 6, 30);
`,
  ],
  [
    'freeipa',
    [
      'dn: uid=ada,cn=users,dc=x\nobjectClass: posixAccount\nuid: ada\nmail: a@x.ch\nipaUniqueID: 7\n',
      ...inBase64.map(
        (key, at) =>
          `dn: ipatokenuniqueid=${at},dc=x\nobjectClass: ipatokenTOTP\nipatokenOwner: UID=ada,cn=users,dc=x\nipatokenOTPkey:: ${key}\n`,
      ),
    ].join('\n'),
  ],
  [
    'logto',
    `[{"id":"a","primary_email":"a@x.ch","mfa_verifications":[{"type":"Totp","key":"${otp[0]}"},{"type":"Totp","key":"${otp[1]}"}]}]`,
  ],
  [
    'supertokens',
    `INSERT INTO emailpassword_users (user_id, email) VALUES ('a', 'a@x.ch');
INSERT INTO totp_user_devices (user_id, secret_key, period, verified) VALUES ('a', '${otp[0]}', 30, 1), ('a', '${otp[1]}', 30, 1);
`,
  ],
  [
    'fusionauth',
    `[{"id":"a","email":"a@x.ch","twoFactor":{"methods":[{"method":"authenticator","secret":"${inBase64[0]}"},{"method":"authenticator","secret":"${inBase64[1]}"}]}}]`,
  ],
];

type Found = readonly [Conversion['provider'], what: string, users: string, user: object, notes: object];
const found: readonly Found[] = [
  [
    'pocketbase',
    'a link of version 0.22',
    `INSERT INTO users (id, username, email, passwordHash, tokenKey) VALUES ('u1', 'ada', 'ada@example.org', '', 'k');
INSERT INTO _externalAuths (id, collectionId, recordId, provider, providerId) VALUES ('e1', 'c1', 'u1', 'google', '108');
`,
    linked,
    {},
  ],
  [
    'parse',
    'a dump of PostgreSQL, with links and second factors in authData, and an anonymous user',
    `COPY public."_User" ("objectId", username, email, "emailVerified", "authData", _hashed_password) FROM stdin;
EpC0tg6FY7	ada	ada@example.org	t	{"google": {"id": "108"}, "mfa": {"secret": "JBSWY3DPEHPK3PXP", "recovery": ["x"]}}	${bcrypt}
qYbS4RNvRu	demMeUEG	\\N	\\N	{"anonymous": {"id": "11111111-2222"}}	\\N
\\.
`,
    { ...linked, otpCode: otp[0], recoveryCodes: [{ raw: 'x' }] },
    {},
  ],
  [
    'django',
    'a user model without groups and permissions, and a user without a password',
    `[{"model":"people.member","pk":1,"fields":{"password":"","last_login":null,"email":"ada@example.org"}},
{"model":"people.badge","pk":1,"fields":{"title":"first"}}]`,
    {},
    { 'password:none': 1 },
  ],
  [
    'odoo',
    'a password in plain text',
    'id,login,password,share,email\n2,ada,admin,f,a@x.ch\n',
    {},
    { 'password:plaintext-hashed': 1 },
  ],
  ...devices.map(([provider, users]): Found => [provider, 'two devices', users, ...extra]),
  [
    'firebase',
    'two second factors',
    '[{"localId":"a","email":"a@x.ch","mfaInfo":[{"mfaEnrollmentId":"1","phoneInfo":"+41791234567"},{"mfaEnrollmentId":"2","totpInfo":{}}]}]',
    {},
    { 'mfa:other': 1 },
  ],
  [
    'django',
    'a passkey',
    `INSERT INTO auth_user (id, username, email, password) VALUES (1, 'ada', 'a@x.ch', '');
INSERT INTO mfa_authenticator (user_id, type, data) VALUES (1, 'webauthn', '{}');
`,
    {},
    { 'mfa:webauthn': 1 },
  ],
  [
    'supabase',
    'a factor that is a phone',
    `INSERT INTO auth.users (id, email, encrypted_password) VALUES ('a', 'a@x.ch', '');
INSERT INTO auth.mfa_factors (user_id, factor_type, status, secret) VALUES ('a', 'phone', 'verified', NULL);
`,
    {},
    { 'mfa:other': 1 },
  ],
  [
    'fusionauth',
    'links in a table of their own',
    `INSERT INTO users (id, active) VALUES ('a', 1);
INSERT INTO identities (users_id, email) VALUES ('a', 'a@x.ch');
INSERT INTO identity_provider_links (users_id, identity_providers_id, identity_providers_user_id) VALUES ('a', 'p', '108');
INSERT INTO identity_providers (id, name) VALUES ('p', 'google');
`,
    linked,
    {},
  ],
  [
    'devise',
    'links in a table of their own, beside one in the columns of users',
    `INSERT INTO users (id, email, encrypted_password, provider, uid) VALUES (1, 'a@x.ch', '', 'github', '77');
INSERT INTO identities (user_id, provider, uid) VALUES (1, 'google', '108');
`,
    linked,
    { 'idp:unmapped-alias': 1 },
  ],
  [
    'devise',
    'a hash of Sorcery, which is of the password and the salt',
    `id,email,crypted_password,salt\n1,a@x.ch,${bcrypt},x7y\n`,
    {},
    { 'password:peppered': 1 },
  ],
  [
    'devise',
    'a hash of Authlogic',
    `id,email,crypted_password,password_salt\n1,a@x.ch,${bcrypt},x7y\n`,
    {},
    { 'password:peppered': 1 },
  ],
  [
    'symfony',
    'a hash of version 4',
    `id,email,password,salt\n1,a@x.ch,${'a'.repeat(86)}==,x7y\n`,
    {},
    { 'password:algorithm-unsupported': 1 },
  ],
  [
    'cognito',
    'a file for its import',
    `cognito:username,preferred_username,nickname,gender,email,cognito:mfa_enabled\nu-1,ada,Countess,female,a@x.ch,true\n`,
    {
      userName: 'ada',
      profile: { nickName: 'Countess', gender: 'GENDER_FEMALE' },
    },
    { 'mfa:other': 1 },
  ],
  [
    'nhost',
    'what GraphQL gives',
    `[{"id":"a","email":"a@x.ch","emailVerified":true,"displayName":"Ada Lovelace","passwordHash":"${bcrypt}","defaultRole":"user","phoneNumber":"+41791234567","totpSecret":"${otp[0]}","activeMfaType":"totp"}]`,
    {
      otpCode: otp[0],
      hashedPassword: { value: bcrypt },
      email: { isEmailVerified: true },
      profile: { lastName: 'Lovelace' },
      phone: { phone: '+41791234567' },
    },
    {},
  ],
  [
    'google-workspace',
    'several phones',
    '[{"id":"1","primaryEmail":"a@x.ch","phones":[{"value":"+41791234567","type":"work"},{"value":"+41791234568","primary":true}]}]',
    { phone: { phone: '+41791234568' } },
    { 'contact:not-migrated': 1 },
  ],
  [
    'casdoor',
    'a form of passwords that is that of the organization',
    `INSERT INTO user (owner, name, id, email, password, password_type) VALUES ('acme', 'ada', 'a', 'a@x.ch', '${bcrypt}', '');
INSERT INTO organization (owner, name, password_type) VALUES ('admin', 'acme', 'bcrypt');
`,
    { hashedPassword: { value: bcrypt } },
    {},
  ],
  [
    'casdoor',
    'such a form of JSON',
    `[{"owner":"acme","name":"ada","id":"a","email":"a@x.ch","password":"${bcrypt}","passwordType":"","home":{"passwordType":"bcrypt"}}]`,
    { hashedPassword: { value: bcrypt } },
    {},
  ],
  [
    'aspnet-identity',
    'ids in either case',
    `INSERT INTO AspNetUsers (Id, UserName, Email, TwoFactorEnabled) VALUES ('${guid.toUpperCase()}', 'ada', 'a@x.ch', 1);
INSERT INTO AspNetUserTokens (UserId, Name, Value) VALUES ('${guid}', 'AuthenticatorKey', '${otp[0]}');
`,
    { otpCode: otp[0] },
    {},
  ],
];

it.each(found)('%s: %s', async (provider, _, users, user, notes) => {
  const result = await runTable({ provider, users, flags: { idp: 'google=310' } });
  expect(result.users).toMatchObject([{ user }]);
  expect(result.reasons).toMatchObject(notes);
});

it('titles with dots are read, and not named as unread', async () => {
  const users = 'primaryEmail,id,suspended,phones.0.value\na@x.ch,1,False,+41791234567\n';
  const { notices } = await runTable({ provider: 'google-workspace', users });
  expect(notices).not.toContain('map:unused-column');
});
