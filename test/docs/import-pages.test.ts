import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeLine } from '../../src/journal/lines.ts';
import { allFlags, flagsIn } from '../support/all-flags.ts';

const page = (name: string): string => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

it('the journal in docs/resume.md is one that the program reads', () => {
  const example = /```json\n(?<lines>.*?)```/s.exec(page('resume.md'))?.groups?.['lines'] ?? '';
  const lines = example
    .trimEnd()
    .split('\n')
    .map((line) => decodeLine(line));
  expect(lines.map((line) => line?.kind)).toEqual(['header', 'intent', 'outcome', 'end']);
});

/** Of other programs, or made up as an example. */
const others = new Set(
  '--help --x --data-binary --dir --file --users-per-file --accounts --complete-insert --data-only'.split(
    ' ',
  ),
);

/** About npm, docker, the bench and the export commands of other systems as well. */
const aboutOthers = new Set(['performance.md', 'testing.md', 'sources.md']);

describe('flags that a page names exist', () => {
  const known = allFlags();
  const pages = (
    readdirSync(new URL('../../docs/', import.meta.url), { recursive: true }) as string[]
  ).filter((name) => name.endsWith('.md') && !aboutOthers.has(name) && !name.startsWith('sources/'));

  it.each(pages)('in docs/%s', (name) => {
    const text = page(name).replace(/\b(?:npm|npx|docker|brew) [^`\n]*|NODE_OPTIONS=[^`\n]*/g, '');
    const unknown = flagsIn(text).filter((flag) => !known.has(flag) && !others.has(flag));
    expect(unknown).toEqual([]);
  });
});
