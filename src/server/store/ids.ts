/** A clock in, ids out that look like the service's: 18 decimal digits that grow with time and never repeat. */
import type { Clock } from '../../lib/clock.ts';

const epoch = Date.UTC(2019, 0, 1);

/** Ids that fit into ten milliseconds; when that is not enough they run ahead of the clock. */
const perTick = 0x1_0000;

export function createIds(clock: Clock): () => string {
  let last = 0;
  return () => {
    const now = Math.floor((clock.now() - epoch) / 10) * perTick;
    last = Math.max(now, last + 1);
    return `3${last.toString().padStart(17, '0')}`;
  };
}
