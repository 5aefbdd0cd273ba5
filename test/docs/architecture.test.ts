/** What docs/architecture.md says of folders and files is so. */
import { existsSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readProject, root } from '../support/folder.ts';

const page = readProject('docs/architecture.md');
const named = [...page.matchAll(/`((?:src|test|bench|fixtures|scripts)\/[^`]*)`/g)].map(
  ([, path = '']) => path,
);

const foldersOf = (path: string) =>
  readdirSync(`${root}${path}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

it('docs/architecture.md names only files and folders that exist', () => {
  const paths = named.flatMap((path) =>
    ['keycloak', 'auth0'].map((name) => path.replace('<provider>', name)),
  );
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
});

it('docs/architecture.md names every folder of src', () => {
  expect(foldersOf('src').filter((name) => !named.includes(`src/${name}/`))).toEqual([]);
});

it('docs/architecture.md draws exactly the folders of src', () => {
  const [, drawing = ''] = /```mermaid\nflowchart TD\n([\s\S]*?)```/.exec(page) ?? [];
  const drawn = [...drawing.replace(/\w+\["(.*)"\]/, '$1').matchAll(/\b[a-z]+\b/g)].map(([name]) => name);
  expect([...new Set(drawn)].toSorted()).toEqual(foldersOf('src').toSorted());
});

it('docs/architecture.md maps every folder of test to src or names it', () => {
  const others = foldersOf('test').filter((name) => !existsSync(`${root}src/${name}`));
  expect(others.filter((name) => !named.includes(`test/${name}/`))).toEqual([]);
});
