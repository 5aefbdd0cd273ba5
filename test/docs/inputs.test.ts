import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);

/** The codes of reading and writing bytes, wherever the code says them. */
function codesInSource(): string[] {
  const files = ['src/lib/', 'src/json/', 'src/storage/'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}${name}`),
  );
  const texts = [...files, 'src/errors.ts'].map((file) => readFileSync(new URL(file, root), 'utf8'));
  const found = texts.join('').matchAll(/'((?:input|output):[a-z0-9-]+)'/g);
  return [...new Set(Array.from(found, ([, code]) => code!))].sort();
}

describe('docs/inputs.md', () => {
  it('has a row for every code of reading and writing bytes, and no other', () => {
    const page = readFileSync(new URL('docs/inputs.md', root), 'utf8');
    const rows = Array.from(page.matchAll(/^\| `((?:input|output):[a-z0-9-]+)` \|/gm), ([, code]) => code!);
    expect(rows.toSorted()).toEqual(codesInSource());
  });
});
