import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seedFrom, usualSeed } from './fixed-seed.ts';

/** What a property test draws when it asks for no seed of its own. */
function drawn(): number[] {
  const values: number[] = [];
  fc.assert(
    fc.property(fc.integer(), (value) => {
      values.push(value);
    }),
    { numRuns: 20 },
  );
  return values;
}

const asked = seedFrom(process.env['FAST_CHECK_SEED']);

describe('the seed of the property tests', () => {
  it('is the usual one, another one on request, or random', () => {
    expect(seedFrom(undefined)).toBe(usualSeed);
    expect(seedFrom('')).toBe(usualSeed);
    expect(seedFrom('-17')).toBe(-17);
    expect(seedFrom('random')).toBeUndefined();
    expect(() => seedFrom('often')).toThrow('FAST_CHECK_SEED is "often"');
  });

  it('is set before any test file runs', () => {
    expect(fc.readConfigureGlobal().seed).toBe(asked);
  });

  it.runIf(asked !== undefined)('makes two runs draw the same (needs a seed)', () => {
    expect(drawn()).toEqual(drawn());
  });
});
