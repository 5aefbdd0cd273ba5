import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { skipNested, type Nesting } from '../../src/json/skip.ts';
import { jsonValue, spellJson } from '../support/json-text.ts';
import { seededRandom } from '../support/seeded-random.ts';

const start = (depth: number): Nesting => ({ depth, inText: false, escaped: false });

/** Cuts `text` into blocks and skips through all of them. Returns where it ended and how it stood there. */
function skipAll(text: Buffer, sizes: readonly number[]): [number, Nesting] {
  const nesting = start(1);
  let turn = 0;
  for (let base = 0; base < text.length;) {
    const block = text.subarray(base, base + sizes[turn++ % sizes.length]!);
    const reached = skipNested(block, 0, block.length, nesting);
    if (nesting.depth === 0 && !nesting.inText) return [base + reached, nesting];
    expect(reached).toBe(block.length);
    base += block.length;
  }
  return [text.length, nesting];
}

describe('skipping to the closing bracket', () => {
  it.each([
    ['}', 1],
    ['"}"}', 4],
    ['"\\"}"}', 6],
    ['"\\\\"}', 5],
    ['"\\\\\\"}"}', 8],
    ['{}[[]]{"]":"["}]x', 16],
    ['"\\u007d"}', 9],
  ])('of %j comes to byte %i', (text, end) => {
    expect(skipNested(Buffer.from(text), 0, text.length, start(1))).toBe(end);
  });

  it('comes to the same place over any edges of blocks', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(jsonValue, { minLength: 10, maxLength: 30 }),
        fc.integer(),
        sizes,
        (values, seed, sizes) => {
          const text = Buffer.from(`${spellJson(values, seededRandom(seed)).trim().slice(1)}, "behind" ]`);
          expect(skipAll(text, sizes)).toEqual(skipAll(text, [text.length]));
        },
      ),
      { numRuns: 400 },
    );
  });
});
