/** A clock in, the same clock with a skew that can be set while it runs out: the server's idea of the time. */
import type { Clock } from '../lib/clock.ts';

export interface SkewedClock extends Clock {
  /** Milliseconds that `now()` is ahead; negative for behind. Waiting and measuring are not touched. */
  skew: number;
}

export function createSkewedClock(base: Clock): SkewedClock {
  const clock: SkewedClock = {
    skew: 0,
    now: () => base.now() + clock.skew,
    monotonic: () => base.monotonic(),
    sleep: (ms, signal) => base.sleep(ms, signal),
    random: () => base.random(),
  };
  return clock;
}
