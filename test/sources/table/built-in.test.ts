/** The built-in sources: their generated files, and the samples of their exports. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileMaps } from '../../../scripts/compile-maps.ts';
import { builtInTexts } from '../../../src/sources/table/built-in-maps.ts';
import { builtIn } from '../../../src/sources/table/built-in.ts';
import { readMapping } from '../../../src/sources/table/mapping/read.ts';
import { mappingText } from '../../../src/sources/table/print.ts';
import { samplePath } from '../../support/samples.ts';
import { runTable } from '../../support/table-run.ts';

/** A source, its sample, and the users, hashes and one-time passwords that are written. */
const samples = [
  ['supabase', 'supabase/supabase.json', 25, 9, 0],
  ['clerk', 'clerk/clerk.json', 25, 9, 0],
  ['clerk', 'clerk/clerk.csv', 59, 15, 0],
  ['clerk', 'clerk/api-users-page.json', 1, 0, 0],
  ['firebase', 'firebase/firebase.json', 50, 0, 0],
  ['firebase', 'firebase/firebase-29col.csv', 50, 0, 0],
  ['cognito', 'cognito/list-users-aws-cli-doc.json', 1, 0, 0],
  ['workos', 'workos/list-users.json', 1, 0, 0],
  ['stytch', 'stytch/users.json', 3, 3, 0],
  ['fusionauth', 'fusionauth/import-users-known-password.json', 1, 1, 0],
  ['fusionauth', 'fusionauth/akamai_exampleData_2_faImport_faUsers.json', 2, 2, 0],
  ['frontegg', 'frontegg/users.json', 2, 0, 0],
  ['appwrite', 'appwrite/users-list.json', 4, 3, 0],
  ['logto', 'logto/synthetic-users.jsonl', 2, 2, 1],
  ['django', 'django/generated-dumpdata.jsonl', 9, 6, 2],
  ['django', 'django/generated-dumpdata.json', 9, 6, 2],
  ['django', 'django/generated-auth_user.sqlite.sql', 9, 6, 0],
  ['laravel', 'laravel/synthetic-users.csv', 2, 2, 0],
  ['devise', 'rails/synthetic-devise-users.csv', 2, 1, 0],
  ['aspnet-identity', 'aspnet/synthetic-AspNetUsers-FOR_JSON_PATH.json', 3, 2, 0],
  ['aspnet-identity', 'aspnet/synthetic-ssms-insert.sql', 2, 2, 0],
  ['spring', 'spring/synthetic-users.csv', 4, 4, 0],
  ['spring', 'spring-jhipster/user.csv', 2, 2, 0],
  ['wordpress', 'wordpress/generated-mysql-json_object.jsonl', 4, 3, 0],
  ['wordpress', 'wordpress/generated-mysqldump-10.11.sql', 4, 3, 1],
  ['wordpress', 'wordpress/generated-mysql-batch.tsv', 4, 3, 0],
  ['payload', 'payload/synthetic-users.jsonl', 2, 2, 0],
  ['meteor', 'meteor/synthetic-users.jsonl', 1, 0, 0],
  ['kratos', 'kratos/synthetic-identities.json', 1, 1, 1],
  ['supertokens', 'supertokens/synthetic-emailpassword_users.csv', 1, 1, 0],
  ['discourse', 'discourse/synthetic-users.csv', 1, 1, 1],
  ['gitea', 'gitea/synthetic-user.csv', 1, 1, 0],
  ['casdoor', 'casdoor/synthetic-export-users.json', 1, 1, 1],
  ['nextcloud', 'nextcloud/synthetic-oc_users.csv', 3, 2, 0],
  ['odoo', 'odoo/synthetic-res_users.csv', 1, 1, 1],
  ['mediawiki', 'mediawiki/synthetic-user.csv', 2, 1, 0],
  ['wso2', 'wso2/synthetic-UM_USER.csv', 1, 0, 0],
  ['authelia', 'authelia/users_database.yml', 1, 1, 0],
  ['django', 'django/generated-dumpdata-natural.json', 9, 6, 2],
  ['django', 'django/bakerydemo-auth.json', 6, 6, 0],
  ['firebase', 'firebase/firebase-52col-synthetic.csv', 3, 0, 0],
  ['better-auth', 'better-auth/synthetic-user.json', 2, 0, 0],
  ['authjs', 'authjs/authjs.json', 20, 0, 0],
  ['entra', 'entra-b2c/graph-users-page.json', 1, 0, 0],
  ['forgerock', 'forgerock/forgerock-user-export.json', 2, 2, 0],
  ['cognito', 'cognito/saml-federated-full.json', 1, 0, 0],
  ['cognito', 'cognito/native-database.json', 1, 0, 0],
  ['389ds', 'ldap/389ds-db2ldif-userRoot.ldif', 1, 0, 0],
  ['openldap', 'ldap/openldap-slapcat-example_com.ldif', 5, 0, 0],
  ['openldap', 'ldap/generated-openldap-2.5.13-slapcat.ldif', 22, 11, 0],
  ['ldap', 'ldap/generated-openldap-2.5.13-slapcat.ldif', 22, 11, 0],
] as const;

/** Written by the program of the source; all others were made, or published by others as an example. */
const exports = [
  'django/generated-dumpdata.json',
  'ldap/389ds-db2ldif-userRoot.ldif',
  'ldap/generated-openldap-2.5.13-slapcat.ldif',
  'authelia/users_database.yml',
  'stytch/users.json',
  'forgerock/forgerock-user-export.json',
  'frontegg/users.json',
];

it('a source is called proven only where one of these samples is a real export', async () => {
  for (const [name, text] of Object.entries(builtInTexts)) {
    const { about } = await readMapping(text, name);
    const own = samples.filter(([source]) => source === name).map(([, path]) => path);
    let proven = 'sample';
    if (own.length === 0) proven = 'fixture';
    if (own.some((path) => exports.includes(path))) proven = 'export';
    expect([name, about?.proven]).toEqual([name, proven]);
  }
});

const placeholders = { emailFallback: 'placeholder', emailDomain: 'example.org' };

describe('samples of exports', () => {
  it.skipIf(samplePath('INDEX.md') === undefined).each(samples)(
    '%s: %s',
    async (provider, name, users, hashes, otps) => {
      const path = samplePath(name)!;
      const result = await runTable({ provider, users: readFileSync(path), flags: placeholders });
      const { tally, users: written } = result;
      expect(written.map(({ user }) => user.userName)).toHaveLength(users);
      expect(written.filter(({ user }) => user.hashedPassword !== undefined)).toHaveLength(hashes);
      expect(written.filter(({ user }) => user['otpCode'] !== undefined)).toHaveLength(otps);
      expect(tally.read).toBe(tally.written + tally.withNotes + tally.rejected + tally.skipped);
    },
  );

  it.skipIf(samplePath('aspnet/synthetic-AspNetUsers-ssms.csv') === undefined)(
    'ASP.NET Identity with its tables',
    async () => {
      const folder = dirname(samplePath('aspnet/synthetic-AspNetUsers-ssms.csv')!);
      const read = (name: string): string => readFileSync(join(folder, `synthetic-${name}.csv`), 'utf8');
      const result = await runTable({
        provider: 'aspnet-identity',
        users: read('AspNetUsers-ssms'),
        tables: {
          tokens: read('AspNetUserTokens'),
          logins: read('AspNetUserLogins'),
          claims: read('AspNetUserClaims'),
        },
        flags: { idp: ['Google=10'] },
      });
      expect(result.users.filter(({ user }) => user['otpCode'] !== undefined)).toHaveLength(1);
      expect(result.users.flatMap(({ user }) => user['recoveryCodes'] ?? [])).toHaveLength(2);
      expect(result.users.flatMap(({ user }) => user['idps'] ?? [])).toHaveLength(1);
    },
  );
});

it('the generated files are those of the mappings (else: npm run docs)', async () => {
  const { page, pages } = await compileMaps();
  const plain = (text: string): string => text.replaceAll(/\s+/g, ' ');
  expect(plain(readFileSync(new URL('../../../docs/sources.md', import.meta.url), 'utf8'))).toBe(plain(page));
  for (const [name, text] of Object.entries(pages)) {
    const path = new URL(`../../../docs/sources/${name}.md`, import.meta.url);
    expect([name, readFileSync(path, 'utf8')]).toEqual([name, text]);
  }
  expect(Object.keys(builtIn)).toEqual(Object.keys(builtInTexts));
  for (const [name, text] of Object.entries(builtInTexts)) {
    expect(
      readFileSync(new URL(`../../../src/sources/table/maps/${name}.yaml`, import.meta.url), 'utf8'),
    ).toBe(text);
  }
});

it('a printed mapping does what the built-in one does', async () => {
  const users = 'id,name,email,email_verified_at,password\n1,Ada Lovelace,ada@example.org,2024-01-01,\n';
  const own = await runTable({ users, map: await mappingText('laravel') });
  const built = await runTable({ provider: 'laravel', users });
  expect(own.users).toEqual(built.users);
});
