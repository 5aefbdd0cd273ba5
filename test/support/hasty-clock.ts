/** The system's clock, but no one waits on it: a sleeper finds the time gone by at once. */
import { systemClock, type Clock } from '../../src/lib/clock.ts';

/** `others` is what must have had its turn while something sleeps: on a busy machine a moment may not be enough. */
export function createHastyClock(others: () => Promise<void> = async () => {}): Clock {
  let ahead = 0;
  return {
    now: () => systemClock.now() + ahead,
    monotonic: () => systemClock.monotonic() + ahead,
    random: () => systemClock.random(),
    async sleep(ms, signal, options) {
      signal?.throwIfAborted();
      // No one waits for what is done in the background.
      if (options?.background === true) return systemClock.sleep(ms, signal, options);
      // What others do meanwhile gets its turn.
      await systemClock.sleep(1, signal);
      await others();
      ahead += ms;
    },
  };
}
