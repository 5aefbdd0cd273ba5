/** Random choices, the same for the same seed, so that every input can be made again. */
import { seededRandom } from '../support/seeded-random.ts';

export interface Draw {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  /** True with this probability. */
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

export function drawFrom(seed: number): Draw {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  return {
    below,
    chance: (share) => random() < share,
    pick: (items) => items[below(items.length)]!,
  };
}

/** The seed of one input of one target in a run (FNV-1a over all three). */
export function inputSeed(seed: number, target: string, index: number) {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${seed}/${target}/${index}`)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash | 0;
}
