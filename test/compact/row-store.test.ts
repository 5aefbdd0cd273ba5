import { expect, it } from 'vitest';
import { RowStore } from '../../src/compact/row-store.ts';
import { openSpillFile } from '../../src/storage/spill-file.ts';

const long = 'x'.repeat(600_000);

it.each([
  ['in memory', undefined],
  ['on disk', openSpillFile],
  ['where the disk takes nothing', () => ({ write: () => false, read: () => {}, close: () => {} })],
])('RowStore finds the rows of a key: %s', (_name, open) => {
  const store = new RowStore(open);
  for (let n = 0; n < 90; n++) store.add(`${n}:${long}é`, `key${n % 30}`);
  for (let n = 0; n < 30; n++)
    expect(store.find(`key${n}`, 10).map((text) => text.slice(0, 3))).toEqual(
      [n, n + 30, n + 60].map((row) => `${row}:${long}`.slice(0, 3)),
    );
  expect(store.find('key7', 10)[2]).toBe(`67:${long}é`);
  expect(store.find('key7', 2)).toHaveLength(2);
  expect([store.find('', 10), store.find('key', 10)]).toEqual([[], []]);
  store.close();
});
