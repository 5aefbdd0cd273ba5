/**
 * FAST_CHECK_SEED in, the seed of every property test out: the same numbers in each run unless others are asked for.
 */
import * as fc from 'fast-check';

/** The seed of a run that asks for no other. */
export const usualSeed = 20260101;

/** A number is that seed; `random` is a new one in each run (a failing property prints its own). */
export function seedFrom(asked: string | undefined) {
  if (asked === undefined || asked === '') return usualSeed;
  if (asked === 'random') return undefined;
  const seed = Number(asked);
  if (!Number.isInteger(seed)) throw new Error(`FAST_CHECK_SEED is "${asked}": a whole number or random.`);
  return seed;
}

const seed = seedFrom(process.env['FAST_CHECK_SEED']);
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
