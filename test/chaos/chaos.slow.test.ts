import { describe, expect, it } from 'vitest';
import { drawFrom } from '../support/draw.ts';

import { liveLate } from './late-life.ts';
import { live } from './life.ts';

describe('a life', () => {
  it.each(['import', 'import-users'] as const)(
    'of %s, killed again and again, ends with every user there once',
    async (verb) => {
      const { troubles, runs } = await live(verb, 4, drawFrom(11));
      expect(troubles).toEqual([]);
      expect(runs).toBeGreaterThan(1);
    },
    120_000,
  );
});

it.each(['import', 'import-users'] as const)(
  'lives of %s with lists up to two minutes behind: none of the users is missing, and a rollback leaves none',
  async (verb) => {
    let killed = 0;
    for (let seed = 1; seed <= 4; seed++) {
      const { troubles, kills } = await liveLate(verb, 3, drawFrom(seed));
      expect(troubles).toEqual([]);
      killed += kills;
    }
    expect(killed).toBeGreaterThan(0);
  },
  120_000,
);
