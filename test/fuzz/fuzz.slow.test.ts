import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { changed } from './arbitraries.ts';
import { fuzzProperty } from './target.ts';
import { targets } from './targets/index.ts';

it.each(targets)('a short fuzzer run of $name: $about', async ({ open, inTests = 120 }) => {
  await expect(fc.assert(await open(), { numRuns: inTests })).resolves.toBeUndefined();
});

it('the fuzzer finds a crash and minimizes it', async () => {
  const planted = fuzzProperty(changed([Buffer.from('0123456789abcdef'.repeat(10))]), (input) => {
    if (input.includes('{')) throw new TypeError('a brace');
  });
  const { counterexample, errorInstance } = await fc.check(planted, { numRuns: 500 });
  expect(counterexample?.[0].toString()).toBe('{');
  expect(errorInstance).toEqual(new TypeError('a brace'));
});
