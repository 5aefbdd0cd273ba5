import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { recognise, recogniseOther } from '../../src/sources/recognise.ts';
import { type ExportName, providerNames, providers } from '../../src/sources/providers.ts';
import { builtInNames } from '../../src/sources/table/built-in-names.ts';
import { folderOf, readFixture } from '../support/samples.ts';
import { foreignExports } from '../support/foreign-exports.ts';

const givenAs = [...providerNames, 'body'] as const;
/** Sources without marks are never recognised. */
const marked = providerNames.filter((name) => providers[name].marks.length > 0);

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
  it('recognise knows every built-in source', () => {
    expect(builtInNames.filter((name) => !marked.includes(name))).toEqual([]);
  });

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
