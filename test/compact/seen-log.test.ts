import { expect, it } from 'vitest';
import { SeenLog, rowWords } from '../../src/compact/seen-log.ts';

it('takes 24 bytes for the name and the id of a user, in a spill file from some 90,000 users on', () => {
  const isSpilled = (users: number): boolean => {
    let isWritten = false;
    const write = (): boolean => (isWritten = true);
    const log = new SeenLog({ openSpillFile: () => ({ write, read: () => {}, close: () => {} }) });
    for (let row = 0; row < 2 * users; row++) log.add(row, row, row);
    log.close();
    return isWritten;
  };
  expect([85_000, 95_000].map(isSpilled)).toEqual([false, true]);
  expect(2 * rowWords * Uint32Array.BYTES_PER_ELEMENT).toBe(24);
});
