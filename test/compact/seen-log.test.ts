import { expect, it } from 'vitest';
import { SeenLog, rowWords } from '../../src/compact/seen-log.ts';

it('takes 24 bytes for name and id of a person, on the shelf from some 90,000 people on', () => {
  const isOnShelf = (people: number): boolean => {
    let isShelved = false;
    const write = (): boolean => (isShelved = true);
    const log = new SeenLog({ openSpillFile: () => ({ write, read: () => {}, close: () => {} }) });
    for (let row = 0; row < 2 * people; row++) log.add(row, row, row);
    log.close();
    return isShelved;
  };
  expect([85_000, 95_000].map(isOnShelf)).toEqual([false, true]);
  expect(2 * rowWords * Uint32Array.BYTES_PER_ELEMENT).toBe(24);
});
