/** The pages stay short: totals, and the longest page that is written by hand. */
import { expect, it } from 'vitest';
import { docsPages, readProject } from '../support/folder.ts';

const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...docsPages];

const isGenerated = (page: string) =>
  /^docs\/(?:sources\/.*|flags|reasons|api-errors|hash-forms|sources)\.md$/.test(page);

/** A word has a letter or a digit: signs of tables do not count. */
const lengths = pages.map((page) => ({
  page,
  words: readProject(page)
    .split(/\s+/)
    .filter((word) => /[a-z\d]/i.test(word)).length,
}));

const sum = (some: typeof lengths) => some.reduce((total, { words }) => total + words, 0);

it('all pages have at most 50,000 words, hand-written ones 25,000', () => {
  expect(sum(lengths)).toBeLessThanOrEqual(50_000);
  expect(sum(lengths.filter(({ page }) => !isGenerated(page)))).toBeLessThanOrEqual(25_000);
});

it('a hand-written page has at most 1,200 words, a source page 400', () => {
  expect(lengths.filter(({ page, words }) => page.startsWith('docs/sources/') && words > 400)).toEqual([]);
  expect(lengths.filter(({ page, words }) => !isGenerated(page) && words > 1_200)).toEqual([]);
});
