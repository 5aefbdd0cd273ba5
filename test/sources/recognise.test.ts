import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { keysIn, formOfHead, recognise, recogniseOther } from '../../src/sources/recognise.ts';
import { type ExportName, providerNames } from '../../src/sources/providers.ts';
import { builtInNames } from '../../src/sources/table/built-in-names.ts';
import { folderOf, readFixture } from '../support/samples.ts';
import { foreignExports } from '../support/foreign-exports.ts';

const givenAs = [...providerNames, 'body'] as const;
/** The files of a folder and all below it, unpacked. */
function filesIn(folder: string) {
  return (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((name) => {
      const bytes = readFileSync(name);
      return { name, bytes: bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes };
    });
}

/** Sources that also read what another one is recognised by: one form of export has several names. */
const readsToo: Readonly<Record<string, readonly string[]>> = {
  ldif: ['ldif', 'ldap', 'openldap', '389ds', 'freeipa', 'active-directory'],
  ldap: ['ldif', 'openldap', '389ds', 'freeipa', 'active-directory'],
  openldap: ['ldif', 'ldap'],
  '389ds': ['ldif', 'ldap'],
  freeipa: ['ldif', 'ldap'],
  'active-directory': ['ldif', 'ldap'],
  // Better Auth has taken its table of users from Auth.js, and added to it.
  authjs: ['better-auth'],
};

/** What recogniseOther has to say of an export of `provider` that was given as `own`. */
function expectedSource(provider: string, own: string) {
  const isOwn = provider === own || readsToo[own]?.includes(provider) === true;
  return isOwn ? undefined : provider;
}

describe('exports of other sources', () => {
  const pairs = foreignExports.flatMap((shape) => givenAs.map((own) => ({ ...shape, own })));
  it.each(pairs)('are recognised: $name, given as $own', ({ provider, text, own }) => {
    const found = recogniseOther(Buffer.from(text), own);
    expect(found?.source).toBe(provider === own ? undefined : provider);
  });

  it.each(foreignExports)('are never taken for another when cut off: $name', ({ provider, text }) => {
    const possible = [undefined, provider];
    for (let end = 0; end < text.length; end += 7) {
      const head = Buffer.from(text.slice(0, end));
      expect(possible).toContain(recognise(head)?.source);
      expect(recogniseOther(head, provider as ExportName | 'body')).toBeUndefined();
    }
  });
});

describe('recognise and the fixtures', () => {
  it.each(builtInNames)('recogniseOther refuses the fixture of %s for every other source', (provider) => {
    for (const file of readFixture(provider).users) {
      const bytes = readFileSync(join(folderOf(provider), file));
      for (const own of givenAs) {
        expect([own, recogniseOther(bytes, own)?.source]).toEqual([own, expectedSource(provider, own)]);
      }
    }
  });

  /** A table that could be that of anyone; users in another form; a dump, which could hold the users as well. */
  const unmarkedTables = [
    'workos passwords',
    'clerk api',
    'wso2 attributes',
    'wso2 identity',
    'casdoor home',
  ];
  /** The file is made by a line of Ruby that both pages show. */
  const sameTables: Readonly<Record<string, string>> = { 'gitlab otp': 'devise' };
  const tables = builtInNames.flatMap((provider) =>
    Object.entries(readFixture(provider).table ?? {}).map(([table, file]) => ({ provider, table, file })),
  );

  it.each(tables.filter(({ provider, table }) => !unmarkedTables.includes(`${provider} ${table}`)))(
    'recogniseOther names the table $table of $provider as no export of users',
    ({ provider, table, file }) => {
      const bytes = readFileSync(join(folderOf(provider), file));
      const name = `${provider} ${table}`;
      for (const own of givenAs) {
        const seen = recogniseOther(bytes, own);
        expect([own, seen?.source, seen?.table]).toEqual([own, sameTables[name] ?? provider, table]);
      }
    },
  );

  it.each(['keycloak', 'auth0'] as const)('recogniseOther accepts the fixtures of %s', (provider) => {
    const files = filesIn(fileURLToPath(new URL(`../../fixtures/${provider}/`, import.meta.url)));
    const refused = files.filter(
      ({ name, bytes }) => !name.endsWith('expected.json') && recogniseOther(bytes, provider) !== undefined,
    );
    expect(files.length).toBeGreaterThan(10);
    expect(refused.map(({ name }) => name)).toEqual([]);
  });
});

it('keysIn returns key paths without lists, and titles of a table', () => {
  expect([...keysIn('{"a":[{"b":1,"c":{"d":"}\\""}}],"e":"f:"', 'json')]).toEqual([
    'a',
    'a.b',
    'a.c',
    'a.c.d',
    'e',
  ]);
  expect([...keysIn('{"users":[{"id":1}]', 'json')]).toEqual(['users', 'users.id', 'id']);
  expect([...keysIn('# a note\n"id",name;x y\n1', 'csv')]).toEqual(['id', 'name', 'x y']);
});

it.each(
  Object.entries({
    csv: [
      'id,email,note\n1,a@example.org,"x\ndn: uid=evil\n"\n',
      'id,email,note\n1,o\'neil@example.org,"it\'s\nINSERT INTO users (id) VALUES (1);\n"\n',
      'truncate ,email\n1,a@example.org\n',
      'set,Pr\u00e9nom (x)\n',
      'create date;email\n',
      'copy\tid\temail\r\n',
      'delete|id\n',
    ],
    sql: [
      'BEGIN;\nSET NAMES utf8, x = 1;\n',
      'USE app; \nBEGIN;\n',
      'SET NAMES utf8; -- of the client\n',
      'DROP TABLE a,\n b;\n',
      '/*\n Server : localhost\n\n Date   : 12/03/2020\n*/\n\nSET NAMES utf8mb4;\n',
      '# Users\nTRUNCATE TABLE `users`;\n',
      '----------\n-- Users\nDELETE FROM `users`;\n',
      // A backslash at the end of what is looked at.
      "-- MySQL dump 10.13\nCREATE TABLE `users` (id int);\nSET x = 'a\\",
    ],
    ldif: ['# export\n\nversion: 1\ndn: uid=ada\nuid: ada\n'],
  }),
)('formOfHead is not misled by comments and later lines: %s', (form, texts) => {
  for (const text of texts) expect([text, formOfHead(Buffer.from(text))]).toEqual([text, form]);
});

it.each([
  ['drupal', 'users_field_data'],
  ['moodle', 'mdl_user'],
  ['strapi', 'strapi_database_schema'],
])('recognise finds %s by its table %s without columns', (source, table) => {
  expect(recognise(Buffer.from(`INSERT INTO \`${table}\` VALUES (1,'en');\n`))).toEqual({ source });
});

it.each([
  [
    'a wide table with titles for the CSV of Firebase',
    `${Array.from({ length: 28 }, (_, at) => `column${at}`).join()}\n1,Ada${','.repeat(26)}\n`,
  ],
  [
    'a dump for Flask-Security by its table of roles',
    'CREATE TABLE user_roles (user_id int, role_name text);\n',
  ],
])('recognise does not take %s', (_, text) => {
  expect(recognise(Buffer.from(text))).toBeUndefined();
});

it.each([
  ["roles longtext NOT NULL COMMENT '(DC2Type:json)'", 'symfony'],
  ["roles json NOT NULL, created datetime COMMENT '(DC2Type:datetime_immutable)'", 'symfony'],
  ["blocked tinyint(1) NOT NULL, created datetime COMMENT '(DC2Type:datetime_immutable)'", undefined],
])('recognise takes a Doctrine table with roles for Symfony: %s', (columns, source) => {
  const dump = `CREATE TABLE user (id int NOT NULL, town varchar(180), ${columns});\n`;
  expect(recognise(Buffer.from(dump))?.source).toBe(source);
});
