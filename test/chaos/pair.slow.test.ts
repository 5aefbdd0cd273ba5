import { expect, it } from 'vitest';
import { drawFrom } from '../support/draw.ts';
import { canSeparate } from '../support/process.ts';
import { livePair } from './pair.ts';

it.each([
  ['import', false],
  ['import-users', canSeparate()],
] as const)(
  'two processes of %s on one journal create every user once (in two PID namespaces: %s)',
  async (verb, apart) => {
    const { troubles, runs } = await livePair(verb, apart, drawFrom(5));
    expect(troubles).toEqual([]);
    expect(runs).toBeGreaterThan(1);
  },
  120_000,
);
