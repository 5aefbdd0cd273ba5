/** The pages on Keycloak name every code that there is, and no other. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reasons } from '../../src/records/reasons.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const page = read('docs/providers/keycloak.md') + read('docs/providers/keycloak-fields.md');
const section = (title: string): string => page.split(/^## /m).find((part) => part.startsWith(title)) ?? '';

describe('the pages on Keycloak', () => {
  it('names every code that a record or an input of Keycloak can get, and none that there is not', () => {
    const folder = 'src/sources/keycloak/';
    const files = readdirSync(new URL(folder, root)).map((name) => read(folder + name));
    const texts = [...files, read('src/flows/source/open-export.ts')].join('');
    const inSource = [...texts.matchAll(/'((?:[a-z]+-?)+:[a-z-]+)'/g)].map(([, code = '']) => code);
    const elsewhere = new Set([
      'node:path',
      'input:syntax',
      'input:live',
      'input:element-too-large',
      'idp:missing-id',
    ]);
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
