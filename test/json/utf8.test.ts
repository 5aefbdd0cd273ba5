import { isUtf8 } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { incompleteAt, validLength } from '../../src/json/utf8.ts';
import { blocksOf } from '../support/blocks.ts';

/** Where blocks stop being UTF-8, or the length where they never do. */
async function firstBroken(bytes: Uint8Array, size: number): Promise<number> {
  let begun = Buffer.alloc(0);
  let base = 0;
  for await (const block of blocksOf(bytes, size)) {
    const joined = Buffer.concat([begun, block]);
    const whole = joined.subarray(0, incompleteAt(joined));
    if (!isUtf8(whole)) return base + validLength(whole);
    base += whole.length;
    begun = joined.subarray(whole.length);
  }
  return base + begun.length;
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

describe('UTF-8 in blocks', () => {
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
