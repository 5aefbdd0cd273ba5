/** llms.txt and the skill for coding agents are made from the pages as they are; pages.slow.test.ts types the skill. */
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatLlms, formatSkill, skillPath } from '../../scripts/machine-pages.ts';
import { readProject, root } from '../support/folder.ts';

const skill = readProject(skillPath);

it('llms.txt and the skill match the pages (else: npm run docs)', () => {
  expect(readProject('llms.txt')).toBe(formatLlms());
  expect(skill).toBe(formatSkill());
});

it('llms.txt links only to existing files', () => {
  const paths = Array.from(formatLlms().matchAll(/\]\(([^)]*)\)/g), ([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(root + path))).toEqual([]);
});

it('the skill has a valid head', () => {
  const [, head = ''] = /^---\n([^]*?)\n---\n/.exec(skill) ?? [];
  const { name, description } = parse(head);
  expect(name).toBe(basename(dirname(skillPath)));
  expect(description.length).toBeLessThan(1024);
});
