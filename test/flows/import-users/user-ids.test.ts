import { expect, it } from 'vitest';
import { keptId } from '../../../src/flows/import-users/user-ids.ts';

it.each<[prefix: string, id: string, kept?: string]>([
  ['', 'x'.repeat(201)],
  // An emoji is two units of UTF-16 and one character to the service.
  ['', '\u{1F600}'.repeat(200), '\u{1F600}'.repeat(200)],
  ['', '\u{1F600}'.repeat(201)],
  ['', '\ud83d'],
  ['', '17'],
  ['', ''],
  ['', 'a/b'],
  ['', ' a'],
  ['', '..'],
  ['wp-', 'a', 'a'],
  ['wp-', '17', 'wp-17'],
  ['wp-', 'wp-17', 'wp-wp-17'],
])('keptId with the prefix %j makes of the id %j: %j', (prefix, id, kept) => {
  expect(keptId({ keep: true, prefix }, id)).toBe(kept);
});
