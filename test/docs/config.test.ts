import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { shapeOfProgram } from '../support/tree.ts';
import { parseConfig } from '../../src/cli/config/read.ts';
import { sharedFlags, verbsWithSettings } from '../../src/cli/config/rules.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const program = shapeOfProgram();
const page = read('docs/config.md');

it('the file of docs/config.md is one that the program takes', () => {
  const example = /```json\n(?<text>\{.*?\n\}\n)```/s.exec(page)?.groups?.['text'] ?? '';
  expect(parseConfig(example, 'docs', program)).toHaveProperty('shared.url');
});

it('docs/config.md names every shared setting, and every variable that stands in for a flag', () => {
  const variables = new Set(
    verbsWithSettings(program).flatMap(({ flags }) => flags.flatMap(({ variable }) => variable ?? [])),
  );
  expect(variables.size).toBeGreaterThan(3);
  for (const name of [...sharedFlags(program).keys(), ...variables]) expect(page).toContain(`\`${name}\``);
});
