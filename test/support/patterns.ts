/** A pattern in an expectation, at any depth, is one that the text there matches. Vitest alone would take anything for it. */
import { expect } from 'vitest';

expect.addEqualityTesters([
  (actual: unknown, expected: unknown) => {
    if (!(expected instanceof RegExp) || actual instanceof RegExp) return undefined;
    return typeof actual === 'string' && actual.search(expected) !== -1;
  },
]);
