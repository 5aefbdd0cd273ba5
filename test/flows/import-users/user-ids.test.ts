import { expect, it } from 'vitest';
import { keptId } from '../../../src/flows/import-users/user-ids.ts';

it.each([
  ['wp-17', true],
  ['x'.repeat(201), false],
  // An emoji is two units of UTF-16 and one character to the service.
  ['\u{1F600}'.repeat(200), true],
  ['\u{1F600}'.repeat(201), false],
  ['\ud83d', false],
  ['17', false],
  ['', false],
  ['a/b', false],
  [' a', false],
  ['..', false],
])('keptId keeps the id %j: %s', (id, isKept) => {
  expect(keptId({ keep: true, prefix: '' }, id)).toBe(isKept ? id : undefined);
});

it.each([
  ['a', 'a'],
  ['17', 'wp-17'],
  ['wp-17', 'wp-wp-17'],
])('keptId makes of the id %s with a prefix an id of its own', (id, kept) => {
  expect(keptId({ keep: true, prefix: 'wp-' }, id)).toBe(kept);
});
