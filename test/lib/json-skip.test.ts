import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWideSkip } from '../../src/lib/json-skip-wasm.ts';
import { skipNested, skipNestedWide, type Nesting } from '../../src/lib/json-skip.ts';
import { jsonValue, spellJson } from '../support/json-text.ts';
import { seededRandom } from '../support/seeded-random.ts';

const start = (depth: number): Nesting => ({ depth, inText: false, escaped: false });

/** Cuts `text` into blocks and skips through all of them. Returns where it ended and how it stood there. */
function skipAll(text: Buffer, sizes: readonly number[], skip: typeof skipNestedWide): [number, Nesting] {
  const nesting = start(1);
  let turn = 0;
  for (let base = 0; base < text.length;) {
    const block = text.subarray(base, base + sizes[turn++ % sizes.length]!);
    const reached = skip(block, 0, block.length, nesting, base);
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

  it('has the wide registers here, so that what follows proves them', () => {
    expect(createWideSkip()).toBeDefined();
  });

  it('comes to the same place with wide registers, over any edges of blocks', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(jsonValue, { minLength: 10, maxLength: 30 }),
        fc.integer(),
        sizes,
        (values, seed, sizes) => {
          const text = Buffer.from(`${spellJson(values, seededRandom(seed)).trim().slice(1)}, "behind" ]`);
          expect(skipAll(text, sizes, skipNestedWide)).toEqual(skipAll(text, [text.length], skipNested));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('agrees about runs of backslashes of every length in every place', () => {
    for (let before = 0; before < 130; before++) {
      for (const run of [0, 1, 2, 3, 62, 63, 64, 65, 127, 128, 129]) {
        const text = Buffer.from(`"${'x'.repeat(before)}${'\\'.repeat(run)}"}"}${' '.repeat(200)}`);
        const wide = start(1);
        const plain = start(1);
        const reached = skipNestedWide(text, 0, text.length, wide, before * 1000 + run);
        expect([reached, wide]).toEqual([skipNested(text, 0, text.length, plain), plain]);
      }
    }
  });

  it('agrees about any brackets and texts', () => {
    for (let seed = 0; seed < 3000; seed++) {
      const random = seededRandom(seed);
      const length = 64 + Math.floor(random() * 300);
      const pieces = Array.from({ length }, () => {
        const drawn = random();
        if (drawn < 0.25) return '{[}]'[Math.floor(random() * 4)];
        if (drawn < 0.4) return ['"\\""', '"{"', '"\\\\"', '"]\\"}"'][Math.floor(random() * 4)];
        return drawn < 0.5 ? 'é' : ' ';
      });
      const depth = 1 + Math.floor(random() * 3);
      const from = Math.floor(random() * 20);
      const text = Buffer.from(' '.repeat(from) + pieces.join(''));
      const wide = start(depth);
      const plain = start(depth);
      const reached = skipNestedWide(text, from, text.length, wide, seed);
      expect([seed, reached, wide]).toEqual([seed, skipNested(text, from, text.length, plain), plain]);
    }
  });

  it('takes blocks of any size, and two scans by turns', () => {
    const large = Buffer.from(`${'["}"],'.repeat(200_000)}1]`);
    expect(skipNestedWide(large, 0, large.length, start(1), 0)).toBe(large.length);
    const one = start(1);
    const two = start(1);
    const first = Buffer.from(`"${' '.repeat(300)}`);
    const second = Buffer.from(`[${' '.repeat(300)}`);
    skipNestedWide(first, 0, first.length, one, 0);
    skipNestedWide(second, 0, second.length, two, 0);
    skipNestedWide(first, 1, first.length, one, 0);
    expect([one, two]).toEqual([{ ...start(1), inText: true }, start(2)]);
  });
});
