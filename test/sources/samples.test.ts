/** Files that sources have written, or that others publish: all users are accounted for, and no password is lost. */
import { readdirSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtInNames } from '../../src/sources/table/built-in-names.ts';
import { builtInText } from '../../src/sources/table/built-in-mappings.ts';
import { readMapping } from '../../src/sources/table/mapping/read.ts';
import { exportPath, samplePath, readFixture } from '../support/samples.ts';
import { runTable, type TableRun } from '../support/table-run.ts';

interface Counts {
  readonly read: number;
  /** Rows that are not users, or that the source has deleted. */
  readonly skipped?: number;
  /** All others where absent. */
  readonly written?: number;
  /** How many of those written have a password that works: counted in the file, not by this program. */
  readonly passwords?: number;
  readonly otps?: number;
  readonly recoveryCodes?: number;
  readonly links?: number;
}

interface Sample extends Counts {
  /** The name of its folder where absent. */
  readonly source?: string;
  /** A path, or several. */
  readonly users: string | readonly string[];
  /** Files of joined tables. */
  readonly tables?: Readonly<Record<string, string>>;
  readonly map?: string;
  readonly flags?: TableRun['flags'];
  /** Written by the program of the source; all others were made, or published by others as an example. */
  readonly isExport?: true;
}

function startingWith(prefix: string) {
  const folder = samplePath(dirname(prefix));
  const files = folder === undefined ? [] : readdirSync(folder).map((name) => join(dirname(prefix), name));
  return files.filter((file) => file.startsWith(prefix));
}

const idps = { idp: ['google=1', 'github=2'] };
const djangoCounts = { passwords: 6, otps: 2, recoveryCodes: 10, links: 2 };

/** How many users are read and written, and how many of them have a password that works. */
const plain: readonly (readonly [
  users: string,
  read: number,
  passwords?: number,
  otps?: number,
  source?: string,
])[] = [
  ['appwrite/users-list.json', 4, 3],
  ['aspnet/synthetic-AspNetUsers-FOR_JSON_PATH.json', 3, 2, 0, 'aspnet-identity'],
  ['aspnet/synthetic-ssms-insert.sql', 2, 2, 0, 'aspnet-identity'],
  ['auth0/clerk-tool-auth0-users-array.json', 30],
  ['auth0/users-csv-apostrophes.csv', 2],
  ['clerk/clerk.json', 25, 9],
  ['clerk/api-users-page.json', 1],
  ['django/generated-auth_user.sqlite.sql', 9, 6],
  ['discourse/synthetic-users.csv', 1, 1, 1],
  ['entra-b2c/graph-users-page.json', 1, 0, 0, 'entra'],
  // The passwords of Firebase cannot move; those of its emulator are texts of tests, and are left alone.
  ['firebase/emulator-accounts.json', 1],
  ['firebase/firebase-29col.csv', 50],
  ['firebase/firebase-52col-synthetic.csv', 3],
  ['firebase/firebase.json', 50],
  ['fusionauth/akamai_exampleData_2_faImport_faUsers.json', 2, 2],
  ['fusionauth/import-users-known-password.json', 1, 1],
  ['fusionauth/wordpress_exampleData_2_userDetailAndHashPreparation_faUsers.json', 2, 2],
  ['gitea/synthetic-user.csv', 1, 1],
  ['keycloak/kc-13.0.1-client-policies.json', 2, 2],
  ['keycloak/kc-19.0.1-quarkus-authz.json', 3, 3],
  ['keycloak/kc-26-orgs-full-realm-config-cli.json', 4, 1],
  ['keycloak/kc-duplicate-emails.json', 3, 3],
  ['keycloak/kc-mellon-realm-iter1.json', 2, 2],
  ['keycloak/kc-partial-export-26.5.5-no-users.json', 0],
  ['keycloak/dir-oauth2-proxy', 1, 1],
  ['keycloak/kc-test-otp-realm.json', 9, 9, 2],
  ['kratos/synthetic-identities.json', 1, 1, 1],
  ['laravel/synthetic-users.csv', 2, 2],
  ['mediawiki/synthetic-user.csv', 2, 1],
  ['meteor/synthetic-users.jsonl', 1],
  ['nextcloud/synthetic-oc_users.csv', 3, 2],
  ['payload/synthetic-users.jsonl', 2, 2],
  ['odoo/synthetic-res_users.csv', 1, 1, 1],
  ['rails/synthetic-devise-users.csv', 2, 1, 0, 'devise'],
  ['spring-jhipster/user.csv', 2, 2, 0, 'spring'],
  ['spring/synthetic-users.csv', 4, 4],
  ['supabase/supabase.json', 25, 9],
  ['supertokens/synthetic-emailpassword_users.csv', 1, 1],
];

const samples: readonly Sample[] = [
  ...plain.map(([users, read, passwords = 0, otps = 0, source = dirname(users)]): Sample => ({
    users,
    read,
    passwords,
    otps,
    source,
  })),
  {
    source: 'aspnet-identity',
    users: 'aspnet/synthetic-AspNetUsers-ssms.csv',
    tables: {
      tokens: 'aspnet/synthetic-AspNetUserTokens.csv',
      logins: 'aspnet/synthetic-AspNetUserLogins.csv',
      claims: 'aspnet/synthetic-AspNetUserClaims.csv',
    },
    flags: { idp: ['Google=1'] },
    read: 3,
    passwords: 2,
    otps: 1,
    recoveryCodes: 2,
    links: 1,
  },
  {
    users: 'auth0/peer-zt-users.ndjson',
    flags: { passwords: samplePath('auth0/peer-zt-passwords.ndjson') ?? '' },
    read: 5,
    passwords: 5,
  },
  {
    users: 'authelia/suites-Standalone-users.yml',
    tables: { totp: 'authelia/synthetic-totp-export.yml' },
    read: 4,
    passwords: 4,
    otps: 1,
  },
  {
    users: 'authelia/users_database.yml',
    read: 1,
    passwords: 1,
    isExport: true,
  },
  {
    users: 'authjs/authjs.json',
    tables: { accounts: 'authjs/synthetic-accounts.json' },
    flags: idps,
    read: 20,
    links: 1,
  },
  {
    users: 'better-auth/synthetic-user.json',
    tables: { account: 'better-auth/synthetic-account.json' },
    flags: idps,
    read: 2,
    passwords: 1,
    links: 2,
  },
  // The only user of the template has no name.
  { users: 'casdoor/init_data.json.template', read: 1, written: 0 },
  {
    users: 'casdoor/synthetic-export-users.json',
    read: 1,
    passwords: 1,
    otps: 1,
    recoveryCodes: 1,
  },
  // Ten rows have twelve cells where there are thirteen titles.
  { users: 'clerk/clerk.csv', read: 69, written: 59, passwords: 15 },
  ...[
    [
      'edge-missing-email',
      'edge-missing-sub',
      'edge-multi-word-last-name',
      'edge-name-only-no-given',
      'edge-unicode',
      'list-users-aws-cli-doc',
      'native-database',
    ],
    [
      'oidc-federated',
      'saml-federated-full',
      'saml-federated-name-only',
      'saml-federated-with-customs',
      'social-facebook',
      'social-google',
    ],
  ].flatMap((names, links) =>
    names.map((name): Sample => ({
      users: `cognito/${name}.json`,
      read: 1,
      links,
      flags: { idp: ['Google=1', 'Facebook=2', 'AzureOIDC=3', 'SomeSamlIdP=4'] },
    })),
  ),
  {
    source: 'json',
    users: 'dex/config-dev.yaml',
    map: `idport: 1
source: { format: yaml, list: staticPasswords }
user: { id: userID, userName: [preferredUsername, username], email: email, emailVerified: { column: emailVerified }, fullName: name, roles: { from: groups } }
password: { from: hash, format: bcrypt, pepper: none, prehash: none }
`,
    read: 1,
    passwords: 1,
  },
  ...['.json', '-natural.json', '.jsonl'].map((name): Sample => ({
    ...djangoCounts,
    users: `django/generated-dumpdata${name}`,
    flags: idps,
    read: 21,
    skipped: 12,
    ...(name === '.json' && { isExport: true }),
  })),
  {
    users: 'django/generated-auth_user.csv',
    tables: {
      addresses: 'django/generated-account_emailaddress.csv',
      accounts: 'django/generated-socialaccount_socialaccount.csv',
      devices: 'django/generated-otp_totp_totpdevice.csv',
      authenticators: 'django/generated-mfa_authenticator.csv',
    },
    flags: idps,
    ...djangoCounts,
    read: 9,
  },
  { users: 'django/bakerydemo-auth.json', read: 13, skipped: 7, passwords: 6 },
  {
    users: 'forgerock/forgerock-user-export.json',
    read: 2,
    passwords: 2,
    isExport: true,
  },
  { users: 'frontegg/users.json', read: 2, isExport: true },
  {
    source: 'csv',
    users: 'generic/fusionauth-example_users.csv',
    map: `idport: 1
user: { userName: LOGIN, email: EMAIL, givenName: FIRST_NAME, familyName: LAST_NAME, metadata: { registered: REGISTRATION_DATE } }
password: { pbkdf2: { digest: sha256, rounds: 24000, salt: { from: PASSWORD_SALT, encoding: base64 }, key: { from: PASSWORD, encoding: base64 } } }
`,
    read: 1,
    passwords: 1,
  },
  {
    // Nothing says how its hashes were made.
    source: 'json',
    users: 'generic/fusionauth-generic-users.json',
    map: 'idport: 1\nuser: { email: email }\npassword: { from: hash, format: auto, pepper: unknown, prehash: unknown }\n',
    read: 2,
  },
  // One user with a hash, one without, one with an empty one.
  ...[
    'copy-row_to_json.WRONG-double-escaped.jsonl',
    'copy.csv',
    'pg_dump-15.sql',
    'pg_dump-15-column-inserts.sql',
    'psql-json_agg.json',
    'psql-row_to_json.jsonl',
  ].map((name): Sample => ({
    source: 'json',
    users: `generic/generated-${name}`,
    map: `idport: 1
source: { columns: optional }
user: { id: id, email: email, givenName: first_name, familyName: last_name, phone: phone, nickName: { from: tags, then: [pg-array, { join: '+' }] }, metadata: { secret: secret, settings: settings } }
password: { from: encrypted_password, format: bcrypt, pepper: none, prehash: none }
unused: [confirmed_at, locked_at, active, created_at]
`,
    read: 3,
    passwords: 1,
  })),
  ...(
    [
      ['kc-9.0.3-migration-realms.json', 'Migration', 2],
      ['kc-9.0.3-migration-realms.json', 'master', 2],
      ['kc-17.0.0-migration-realms.json', 'Migration', 2],
      ['kc-17.0.0-migration-realms.json', 'master', 2],
      ['dir-yo1000', 'saml-test', 1],
      ['dir-yo1000', 'master', 1],
    ] as const
  ).map(([name, realmName, read]): Sample => ({
    users: `keycloak/${name}`,
    flags: { 'realm-name': realmName },
    read,
    passwords: 1,
  })),
  { users: 'keycloak/kc-22.0.1-collectivo-sha256-32.json', read: 4, skipped: 1, passwords: 3 },
  { users: 'keycloak/kc-26.0.7-lakekeeper-argon2.json', read: 7, skipped: 5, passwords: 2 },
  { users: 'keycloak/kc-strimzi-kafka-authz-no-ids.json', read: 25, skipped: 22, passwords: 3 },
  {
    source: '389ds',
    users: 'ldap/389ds-db2ldif-userRoot.ldif',
    read: 14,
    skipped: 13,
    isExport: true,
  },
  ...['openldap', 'ldap'].map((source): Sample => ({
    source,
    users: 'ldap/generated-openldap-2.5.13-slapcat.ldif',
    read: 25,
    skipped: 3,
    passwords: 11,
    isExport: true,
  })),
  { source: 'openldap', users: 'ldap/openldap-memberof.ldif', read: 8, skipped: 6, passwords: 2 },
  { source: 'openldap', users: 'ldap/openldap-slapcat-example_com.ldif', read: 14, skipped: 9 },
  {
    // Three users with {ssha} hashes, and a group.
    source: 'ldap',
    users: startingWith('ldap/test-openldap-'),
    read: 4,
    skipped: 1,
  },
  {
    users: 'logto/synthetic-users.jsonl',
    read: 2,
    passwords: 2,
    otps: 1,
    recoveryCodes: 1,
  },
  {
    users: 'stytch/users.json',
    tables: { passwords: 'stytch/stytch_password_hashes.csv' },
    read: 3,
    passwords: 3,
    isExport: true,
  },
  // Its rows have three cells too few in the middle, so that all after them are under wrong titles.
  { users: 'supabase/supabase.csv', read: 26, written: 0 },
  ...['batch.tsv', 'json_object.jsonl', 'dump-10.11.sql'].map((name): Sample => ({
    users: `wordpress/generated-mysql${name.startsWith('dump') ? '' : '-'}${name}`,
    read: 4,
    passwords: 3,
    otps: name.endsWith('.sql') ? 1 : 0,
  })),
  {
    users: 'workos/list-users.json',
    tables: { identities: 'workos/identities.json' },
    read: 1,
  },
  {
    // No column says that its user store hashes with PBKDF2.
    users: 'wso2/synthetic-UM_USER.csv',
    map: builtInText('wso2')!.replace('algorithm: hash_algorithm', 'algorithm: { value: PBKDF2 }'),
    read: 1,
    passwords: 1,
  },
];

const realm = (name: string, counts: Counts): Sample => ({
  source: 'keycloak',
  users: exportPath(name),
  ...counts,
});

/** Made for this project, on real Keycloaks; `fixtures/keycloak` has what comes of the others. */
const ownExports: readonly Sample[] = [
  realm('kc-26.4.7-harbour/partial-export.json', { read: 2, skipped: 2 }),
  // Without users, but for the two of service accounts; and an answer of the interface, without credentials.
  realm('kc-26.4.7-harbour/rest-users.json', { read: 270, written: 269 }),
  realm('kc-26.7.3-orchard/orchard.json', { read: 495, written: 492, skipped: 2, passwords: 478, otps: 42 }),
];

/** Refused before anything is read. */
const refused: readonly (readonly [source: string, users: string, message: RegExp])[] = [
  ['django', 'django/generated-dumpdata-users.xml', /it is XML/],
  ['wordpress', 'wordpress/generated-mysqldump.xml', /it is XML/],
  ['devise', 'generic/generated-pg_dump-15-inserts.sql', /public\.users have no names of columns/],
];

const hasSamples = samplePath('INDEX.md') !== undefined;

it.each([...(hasSamples ? samples : []), ...ownExports])(
  'migrate accounts for every user of $users',
  async (sample) => {
    const { read, skipped = 0, passwords = 0, otps = 0, recoveryCodes = 0, links = 0 } = sample;
    const { written = read - skipped } = sample;
    const { tally, users } = await run(sample);
    const withField = (field: 'hashedPassword' | 'otpCode' | 'recoveryCodes' | 'idps') =>
      users.flatMap<unknown>(({ user }) => user[field] ?? []).length;
    expect(tally).toMatchObject({ read, skipped, rejected: read - written - skipped });
    expect({
      written: users.length,
      passwords: withField('hashedPassword'),
      otps: withField('otpCode'),
      recoveryCodes: withField('recoveryCodes'),
      links: withField('idps'),
    }).toEqual({ written, passwords, otps, recoveryCodes, links });
  },
);

describe.skipIf(!hasSamples)('migrate of real exports (needs the samples)', () => {
  it.each(refused)('refuses %s: %s', async (source, users, message) => {
    await expect(run({ source, users, read: 0 })).rejects.toThrow(message);
  });
});

it('a source is called proven only with a real export or a run of its program', async () => {
  for (const name of builtInNames) {
    const { about } = await readMapping(builtInText(name)!, name);
    const own = samples.filter((sample) => sourceOf(sample) === name);
    let proven = 'sample';
    if (own.length === 0) proven = 'fixture';
    const { exportedBy, hashedBy } = readFixture(name);
    const exported = about?.versions !== undefined && hashedBy === undefined;
    if (own.some(({ isExport }) => isExport) || exported) proven = 'export';
    expect([name, about?.proven]).toEqual([name, proven]);
    const unnamed = [exportedBy ?? hashedBy ?? []]
      .flat()
      .filter((program) => !about?.versions?.includes(program));
    expect([name, unnamed]).toEqual([name, []]);
  }
});

const sourceOf = ({ source, users }: Sample) => source ?? dirname([users].flat()[0]!);
const pathOf = (file: string) => (isAbsolute(file) ? file : samplePath(file)!);

function run(sample: Sample) {
  const { users, tables = {}, map, flags } = sample;
  const provider = sourceOf(sample);
  return runTable({
    provider,
    users: '',
    ...(map && { map }),
    flags: {
      users: [],
      [provider === 'keycloak' ? 'realm' : 'users']: [users].flat().map(pathOf),
      table: Object.entries(tables).map(([name, file]) => `${name}=${pathOf(file)}`),
      'target-profile': 'all-verifiers',
      'on-refused-hash': 'keep',
      'email-fallback': 'placeholder',
      'email-domain': 'example.org',
      ...flags,
    },
  });
}
