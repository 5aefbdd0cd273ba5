import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { targets } from '../fuzz/targets/index.ts';

const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8');

it('docs/testing.md names every target of the fuzzer with what must hold for it, and no other', () => {
  const section = page.slice(page.indexOf('| Target |')).split('\n\n')[0] ?? '';
  const rows = [...section.matchAll(/^\| (?<name>[a-z]\w*) \| (?<about>.*) \|$/gm)];
  const documented = rows.map(({ groups }) => [groups?.['name'], groups?.['about']]);
  expect(documented).toEqual(targets.map(({ name, about }) => [name, about]));
});
