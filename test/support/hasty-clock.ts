/** The system's clock, but nobody waits on it: whoever sleeps finds the time gone by at once. */
import { systemClock, type Clock } from '../../src/lib/clock.ts';

/** `others` is what must have had its turn while somebody sleeps: on a busy machine a moment may not be enough. */
export function createHastyClock(others: () => Promise<void> = async () => {}): Clock {
  let ahead = 0;
  return {
    now: () => systemClock.now() + ahead,
    monotonic: () => systemClock.monotonic() + ahead,
    random: () => systemClock.random(),
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      // What others do meanwhile gets its turn.
      await systemClock.sleep(1, signal);
      await others();
      ahead += ms;
    },
  };
}
