import { expect, it } from 'vitest';
import { findVerb } from '../../../src/cli/shape.ts';
import { shapeOfProgram } from '../../support/tree.ts';

const program = shapeOfProgram();

it.each([
  ['migrate keycloak', 'reject keep suffix'],
  ['check', 'reject keep suffix'],
  ['import-users', 'reject keep'],
])('%s offers for --duplicates what it can do: %s', (verb, rules) => {
  const flag = findVerb(program, verb.split(' ')).flags.find(({ name }) => name === 'duplicates');
  expect(flag?.choices?.join(' ')).toBe(rules);
});

it.each([
  ['verify', ['duplicates', 'threads']],
  ['import-users', ['threads']],
])('%s has no flag that it would ignore: %j', (verb, ignored) => {
  const names = findVerb(program, [verb]).flags.map(({ name }) => name);
  expect(names).toContain('plain-passwords');
  expect(names.filter((name) => ignored.includes(name))).toEqual([]);
});
