import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { targets } from '../fuzz/targets/index.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/testing.md', root), 'utf8');

it('docs/testing.md names every target of the fuzzer with what must hold for it, and no other', () => {
  const section = page.slice(page.indexOf('| Target |')).split('\n\n')[0] ?? '';
  const rows = [...section.matchAll(/^\| (?<name>[a-z]\w*) \| (?<about>.*) \|$/gm)];
  const documented = rows.map(({ groups }) => [groups?.['name'], groups?.['about']]);
  expect(documented).toEqual(targets.map(({ name, about }) => [name, about]));
});

it('CONTRIBUTING.md names every slow test', () => {
  const guide = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8');
  const section = guide.slice(guide.indexOf('### Slow tests')).split('\n## ')[0] ?? '';
  const documented = [...section.matchAll(/`([\w-]+\/[\w/-]+)`/g)].map(([, name]) => `${name}.slow.test.ts`);
  const files = readdirSync(new URL('test/', root), { recursive: true, encoding: 'utf8' });
  expect(documented.toSorted()).toEqual(files.filter((file) => file.endsWith('.slow.test.ts')).toSorted());
});
