import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ExitCode } from '../../src/errors.ts';
import { decodeEvent } from '../../src/terminal/json.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('docs/events.md tells of every type of event, and of no other', () => {
  const union = read('src/events.ts').split('export type IdportEvent =')[1] ?? '';
  const declared = [...union.matchAll(/type: '(?<type>[a-z:]+)'/g)].map(({ groups }) => groups?.['type']);
  const documented = [...read('docs/events.md').matchAll(/^\| `(?<type>[a-z:]+)` \|/gm)].map(
    ({ groups }) => groups?.['type'],
  );
  expect(declared.length).toBeGreaterThan(5);
  expect(documented).toHaveLength(declared.length);
  expect(new Set(documented)).toEqual(new Set(declared));
});

it('the example in docs/events.md is one that the program reads back', () => {
  const example = /```json\n(?<lines>.*?)```/s.exec(read('docs/events.md'))?.groups?.['lines'] ?? '';
  const types = example
    .trimEnd()
    .split('\n')
    .map((line) => decodeEvent(line).event.type);
  expect(types).toEqual(['record:rejected', 'file:written']);
});

it('docs/exit-codes.md tells of every exit code, and of no other', () => {
  const documented = [...read('docs/exit-codes.md').matchAll(/^\| (?<code>\d+) \|/gm)].map(({ groups }) =>
    Number(groups?.['code']),
  );
  expect(documented).toEqual(Object.values(ExitCode));
});
