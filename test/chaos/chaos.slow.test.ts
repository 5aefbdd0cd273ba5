import { expect, it } from 'vitest';
import { drawFrom } from '../support/draw.ts';

import { liveLate } from './late-life.ts';
import { live } from './life.ts';

it.each(['import', 'import-users'] as const)(
  'chaos: an import of %s, killed repeatedly, creates every user once',
  async (verb) => {
    const { troubles, runs } = await live(verb, 4, drawFrom(11));
    expect(troubles).toEqual([]);
    expect(runs).toBeGreaterThan(1);
  },
  120_000,
);

it.each(['import', 'import-users'] as const)(
  'chaos: imports by %s with lists two minutes behind lose no user, and undo leaves none',
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
