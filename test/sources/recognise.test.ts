import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { knownExports } from '../../src/sources/known-exports.ts';
import { providerNames, providers } from '../../src/sources/providers.ts';
import { keysIn, recogniseOther } from '../../src/sources/recognise.ts';
import { samplePath } from '../support/samples.ts';
import { foreignExports } from '../support/foreign-exports.ts';

const givenAs = [...providerNames, 'body'] as const;
/** Sources without marks are never recognised. */
const marked = providerNames.filter((name) => providers[name].marks.length > 0);
const titles = Object.fromEntries(
  [...Object.entries(knownExports), ...marked.map((name) => [name, providers[name]] as const)].map(
    ([name, { title }]) => [name, title],
  ),
);

/** The files of a folder and all below it, unpacked. */
function filesIn(folder: string): { name: string; bytes: Uint8Array }[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((name) => {
      const bytes = readFileSync(name);
      return { name, bytes: bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes };
    });
}

describe('exports of other providers', () => {
  it('has a shape here of every provider that the program knows', () => {
    const shapes = new Set(foreignExports.map(({ provider }) => provider));
    expect([...shapes].toSorted()).toEqual(['body', ...Object.keys(titles)].toSorted());
  });

  const pairs = foreignExports.flatMap((shape) => givenAs.map((own) => ({ ...shape, own })));
  it.each(pairs)('$name, given as $own', ({ provider, text, own }) => {
    const found = recogniseOther(Buffer.from(text), own);
    expect(found?.title).toBe(provider === own ? undefined : (titles[provider] ?? 'import body'));
    expect(found?.provider).toBe(provider !== own && provider in providers ? provider : undefined);
  });

  it.each(pairs)(
    '$name, cut off anywhere and given as $own, is never another one',
    ({ provider, text, own }) => {
      const possible = [undefined, provider === own ? undefined : (titles[provider] ?? 'import body')];
      for (let end = 0; end < text.length; end += 7) {
        expect(possible).toContain(recogniseOther(Buffer.from(text.slice(0, end)), own)?.title);
      }
    },
  );
});

describe('files of the project', () => {
  it.each(marked.filter((name) => existsSync(new URL(`../../fixtures/${name}`, import.meta.url))))(
    'no fixture of %s is refused by its own reader',
    (provider) => {
      const files = filesIn(fileURLToPath(new URL(`../../fixtures/${provider}/`, import.meta.url)));
      const refused = files.filter(
        ({ name, bytes }) => !name.endsWith('expected.json') && recogniseOther(bytes, provider) !== undefined,
      );
      expect(files.length).toBeGreaterThan(10);
      expect(refused.map(({ name }) => name)).toEqual([]);
    },
  );
});

describe('real exports', () => {
  /** Settings of a user pool, passwords of test users. */
  const withoutUsers = /^cognito\/(?:oidc-a|oidc-g|saml-m|saml-n)|\/(?:passwords|rest-credentials)\.\w+$/;

  it.skipIf(samplePath('firebase') === undefined).each(Object.keys(titles))('of %s', (provider) => {
    const folder = samplePath(provider);
    if (folder === undefined) return;
    for (const { name, bytes } of filesIn(folder)) {
      const file = name.slice(folder.length + 1);
      if (withoutUsers.test(`${provider}/${file}`)) continue;
      const isBody = file.includes('referenceOutput');
      for (const own of providerNames) {
        const other = own === provider ? undefined : titles[provider];
        const found = recogniseOther(bytes, own)?.title;
        expect([file, own, found]).toEqual([file, own, isBody ? 'import body' : other]);
      }
    }
  });
});

it('keys are paths without lists, and the titles of a table', () => {
  expect([...keysIn('{"a":[{"b":1,"c":{"d":"}\\""}}],"e":"f:"')]).toEqual(['a', 'a.b', 'a.c', 'a.c.d', 'e']);
  expect([...keysIn('{"users":[{"id":1}]')]).toEqual(['users', 'users.id', 'id']);
  expect([...keysIn('# a note\n"id",name;x y\n1')]).toEqual(['id', 'name', 'x y']);
});
