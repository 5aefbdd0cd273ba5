import { describe, expect, it } from 'vitest';
import { withHead } from '../../src/lib/input.ts';
import { blocksOf } from '../support/memory-input.ts';

describe('the head of an input', () => {
  it('has at least the wanted bytes, and the blocks remain complete', async () => {
    const text = 'abcdefghijklmnopqrstuvwxyz';
    for (const size of [1, 3, 10, 100]) {
      for (const wanted of [0, 1, 5, 26, 100]) {
        const { head, blocks } = await withHead(blocksOf(text, size), wanted);
        expect(head.length).toBeGreaterThanOrEqual(Math.min(wanted, text.length));
        expect(text.startsWith(Buffer.from(head).toString())).toBe(true);
        let whole = '';
        for await (const block of blocks) whole += Buffer.from(block).toString();
        expect(whole).toBe(text);
      }
    }
  });

  it('closes the input if its blocks are not read', async () => {
    let closed = 0;
    async function* source() {
      try {
        yield* blocksOf('abc', 1);
      } finally {
        closed++;
      }
    }
    const { blocks } = await withHead(source(), 1);
    await blocks.return(undefined);
    expect(closed).toBe(1);
    for await (const _ of (await withHead(source(), 2)).blocks) break;
    expect(closed).toBe(2);
  });
});
