/** The page on Keycloak names every flag, value and code that there is, and no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allVerbs } from '../support/tree.ts';
import { reasons } from '../../src/records/reasons.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const page = read('docs/providers/keycloak.md');
const section = (title: string): string => page.split(/^## /m).find((part) => part.startsWith(title)) ?? '';

const options = allVerbs().find(({ name }) => name === 'migrate keycloak')?.command.options ?? [];

describe('docs/providers/keycloak.md', () => {
  it('has a row for every flag of the verb, with its default', () => {
    const cells = section('Flags').matchAll(/^\| `(--.*?)` \|.*\| (.*?) ?\|$/gm);
    const plain = (cell: string): string => cell.replace(/[`\\]/g, '');
    const rows = Array.from(cells, ([, flags = '', value = '']) => [plain(flags), plain(value)]);
    const defaults = options
      .filter(({ defaultValue }) => typeof defaultValue === 'string')
      .map(({ flags, defaultValue }) => [flags, defaultValue]);
    expect(rows).toHaveLength(options.length);
    expect(new Set(rows.map(([flags]) => flags))).toEqual(new Set(options.map(({ flags }) => flags)));
    expect(rows).toEqual(expect.arrayContaining(defaults));
  });

  it('names every value that a flag can have', () => {
    const choices = options.flatMap(({ argChoices = [] }) => argChoices);
    expect(choices.length).toBeGreaterThan(20);
    expect(choices.filter((choice) => !section('Flags').includes(`\`${choice}\``))).toEqual([]);
  });

  it('names every code that a record or an input of Keycloak can get, and none that there is not', () => {
    const folder = 'src/sources/keycloak/';
    const files = readdirSync(new URL(folder, root)).map((name) => read(folder + name));
    const texts = [...files, read('src/flows/source/open-export.ts')].join('');
    const inSource = [...texts.matchAll(/'((?:[a-z]+-?)+:[a-z-]+)'/g)].map(([, code = '']) => code);
    const elsewhere = new Set(['node:path', 'input:syntax', 'input:element-too-large', 'idp:missing-id']);
    const missing = inSource.filter((code) => !elsewhere.has(code) && !page.includes(`\`${code}\``));
    expect(inSource.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
    const named = [...page.matchAll(/`([a-z-]+:[a-z-]+)`/g)].map(([, code = '']) => code);
    expect(named.filter((code) => !code.startsWith('input:') && !(code in reasons))).toEqual([]);
  });

  it('shows encodings of a hash that the target reads', () => {
    expect(section('Passwords').match(/`\$(?:pbkdf2|argon2)[^`]*`/g)).toHaveLength(4);
  });
});
