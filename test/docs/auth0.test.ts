import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reasons } from '../../src/records/reasons.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const page = read('docs/providers/auth0.md');

/** Codes that the provider says of inputs and lines. */
function codesInSource(): string[] {
  const folder = 'src/sources/auth0/';
  const texts = readdirSync(new URL(folder, root)).map((name) => read(folder + name));
  const found = texts.join('').matchAll(/'((?:input|password|mfa):[a-z-]+)'/g);
  const shared = new Set(['input:empty', 'input:syntax', 'input:no-users', ...Object.keys(reasons)]);
  return [...new Set(Array.from(found, ([, code]) => code!))].filter((code) => !shared.has(code));
}

describe('docs/providers/auth0.md', () => {
  it('explains every code of inputs and lines', () => {
    const missing = codesInSource().filter((code) => !page.includes(`\`${code}\``));
    expect(codesInSource().length).toBeGreaterThan(10);
    expect(missing).toEqual([]);
  });

  it('names reasons that exist', () => {
    const named = Array.from(page.matchAll(/\[`((?:password|record)[a-z:-]+)`\]/g), ([, code]) => code!);
    expect(named.filter((code) => !(code in reasons))).toEqual([]);
    expect(named).not.toEqual([]);
  });
});
