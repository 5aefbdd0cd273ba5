/** The built-in sources: their generated files. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { compileMaps, formatList } from '../../../scripts/compile-maps.ts';
import { builtInNames } from '../../../src/sources/table/built-in-names.ts';

it('the generated files match the mappings (else: npm run docs)', async () => {
  const { list, page, pages } = await compileMaps();
  const plain = (text: string) => text.replaceAll(/\s+/g, ' ');
  expect(plain(readFileSync(new URL('../../../docs/sources.md', import.meta.url), 'utf8'))).toBe(plain(page));
  for (const [name, text] of Object.entries(pages)) {
    const path = new URL(`../../../docs/sources/${name}.md`, import.meta.url);
    expect([name, readFileSync(path, 'utf8')]).toEqual([name, text]);
  }
  const built = new URL('../../../src/sources/table/built-in.json', import.meta.url);
  expect(readFileSync(built, 'utf8')).toBe(formatList(list));
  expect(builtInNames).toEqual(Object.keys(list));
});
