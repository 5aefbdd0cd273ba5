import { readFileSync } from 'node:fs';
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

describe('flags and files that the pages name exist', () => {
  const known = allFlags();

  it.each(['import.md', 'export.md', 'credentials.md', 'resume.md'])('in docs/%s', (name) => {
    const text = page(name);
    expect(flagsIn(text).filter((flag) => !known.has(flag))).toEqual([]);
    const links = [...text.matchAll(/\]\((?<file>[a-z-]+\.md)\)/g)].map(
      ({ groups }) => groups?.['file'] ?? '',
    );
    for (const file of links) expect(page(file).length).toBeGreaterThan(0);
  });
});
