import { expect, it } from 'vitest';
import { findVerb } from '../../src/usage/shape.ts';
import { shapeOfProgram } from '../support/tree.ts';

const program = shapeOfProgram();

it.each([
  ['migrate keycloak', 'reject keep suffix'],
  ['check', 'reject keep suffix'],
  ['import-users', 'reject keep'],
])('%s offers for --duplicates what it can do: %s', (verb, rules) => {
  const flag = findVerb(program, verb.split(' ')).flags.find(({ name }) => name === 'duplicates');
  expect(flag?.choices.join(' ')).toBe(rules);
});
