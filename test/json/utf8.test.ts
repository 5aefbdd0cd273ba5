import { isUtf8 } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Utf8Guard, validLength } from '../../src/json/utf8.ts';
import { blocksOf } from '../support/blocks.ts';

/** Where the guard finds the first broken character, or the length when it finds none. */
async function firstBroken(bytes: Uint8Array, size: number): Promise<number> {
  const guard = new Utf8Guard();
  let base = 0;
  for await (const block of blocksOf(bytes, size)) {
    const valid = guard.check(block);
    if (valid !== block.length) return base + valid;
    base += block.length;
  }
  return base;
}

const pieces = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 4 }).map((text) => Buffer.from(text)),
  fc.constantFrom(
    ...[
      [0xff],
      [0xc0, 0x80],
      [0xe0, 0x80, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xf0, 0x9f],
      [0x80],
    ].map((bytes) => Buffer.from(bytes)),
  ),
);

describe('the guard of UTF-8', () => {
  it('takes every character across every edge of blocks', async () => {
    const text = Buffer.from('aé日😀\u0000\u007f\u0080\u07ff\u0800\uffff\u{10000}\u{10ffff}z');
    for (let size = 1; size <= text.length; size++) expect(await firstBroken(text, size)).toBe(text.length);
  });

  it('finds the first broken character where Node finds one, whatever the blocks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(pieces, { maxLength: 6 }),
        fc.integer({ min: 1, max: 12 }),
        async (parts, size) => {
          const bytes = Buffer.concat(parts);
          const valid = validLength(bytes);
          expect(isUtf8(bytes.subarray(0, valid))).toBe(true);
          expect(valid === bytes.length).toBe(isUtf8(bytes));
          const found = await firstBroken(bytes, size);
          // A character that breaks off at the very end may still go on.
          const mayGoOn = isUtf8(bytes.subarray(0, valid)) && bytes.length - valid < 4;
          expect(found === valid || (mayGoOn && found === bytes.length)).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
