/** Every link between the pages leads somewhere, and every page can be found from the index. */
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { docsPages, readProject, root } from '../support/folder.ts';

const others = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'fixtures/README.md'];

const withoutBlocks = (page: string) => readProject(page).replace(/^```[^]*?^```$/gm, '');

/** Without code, in which a bracket is no link. */
const textOf = (page: string) =>
  withoutBlocks(page).replace(/`[^`\n]*`/g, (code) => code.replace(/[()]/g, ''));

function linksOf(page: string) {
  const links = Array.from(textOf(page).matchAll(/\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g));
  return links.flatMap(([, path = '', anchor = '']) =>
    /^https?:/.test(path)
      ? []
      : [{ file: path === '' ? page : normalize(join(dirname(page), path)), anchor }],
  );
}

/** As GitHub makes them of headings. */
function anchorsOf(page: string) {
  const headings = withoutBlocks(page).matchAll(/^#+ (.*)$/gm);
  const slug = (title: string) =>
    title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
  return new Set(Array.from(headings, ([, title = '']) => slug(title)));
}

describe.each([...others, ...docsPages])('%s', (page) => {
  it('links to files and headings that exist', () => {
    const broken = linksOf(page).filter(
      ({ file, anchor }) =>
        !existsSync(root + file) || (anchor !== '' && file.endsWith('.md') && !anchorsOf(file).has(anchor)),
    );
    expect(broken).toEqual([]);
  });
});

it('docs/README.md and docs/sources.md link to every page of docs', () => {
  const lists = ['docs/README.md', 'docs/sources.md'];
  const linked = new Set(lists.flatMap((page) => linksOf(page).map(({ file }) => file)));
  expect(docsPages.filter((page) => page !== 'docs/README.md' && !linked.has(page))).toEqual([]);
});
