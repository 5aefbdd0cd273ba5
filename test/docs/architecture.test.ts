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

it('names only files and folders that exist', () => {
  const paths = named.flatMap((path) =>
    ['keycloak', 'auth0'].map((name) => path.replace('<provider>', name)),
  );
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
});

it('names every folder of src', () => {
  expect(foldersOf('src').filter((name) => !named.includes(`src/${name}/`))).toEqual([]);
});

it('draws every folder of src, and no other', () => {
  const [, drawing = ''] = /```mermaid\nflowchart TD\n([\s\S]*?)```/.exec(page) ?? [];
  const drawn = [...drawing.replace(/\w+\["(.*)"\]/, '$1').matchAll(/\b[a-z]+\b/g)].map(([name]) => name);
  expect([...new Set(drawn)].toSorted()).toEqual(foldersOf('src').toSorted());
});

it('says truly how tests map to source: a folder of test is one of src, or in the table', () => {
  const others = foldersOf('test').filter((name) => !existsSync(`${root}src/${name}`));
  expect(others.filter((name) => !named.includes(`test/${name}/`))).toEqual([]);
});
