/** Random choices, the same for the same seed, so that every input can be made again. */
import { seededRandom } from './seeded-random.ts';

export interface Draw {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  /** True with this probability. */
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

export const drawFrom = (seed: number) => drawBy(seededRandom(seed));

/** `random` gives numbers from 0 to below 1. */
export function drawBy(random: () => number): Draw {
  const below = (limit: number) => Math.floor(random() * limit);
  return {
    below,
    chance: (share) => random() < share,
    pick: (items) => items[below(items.length)]!,
  };
}
