/** A clock that stands still until a test moves it; sleepers wake when it passes their time. */
import type { Clock } from '../../src/lib/clock.ts';

export interface FakeClock extends Clock {
  /** Moves both clocks on and wakes who is due, in order. */
  advance(ms: number): Promise<void>;
  /** How many sleep right now except in the background. */
  readonly sleepers: number;
}

interface Sleeper {
  readonly due: number;
  readonly background: boolean;
  readonly wake: () => void;
}

/** `random` gives the numbers of the list, again and again. */
export function createFakeClock(options: { now?: number; random?: readonly number[] } = {}): FakeClock {
  const epoch = options.now ?? Date.UTC(2026, 0, 1);
  const numbers = options.random ?? [0.5];
  let drawn = 0;
  let elapsed = 0;
  let sleeping: Sleeper[] = [];

  return {
    now: () => epoch + elapsed,
    monotonic: () => elapsed,
    random: () => numbers[drawn++ % numbers.length] ?? 0,
    get sleepers() {
      return sleeping.filter(({ background }) => !background).length;
    },
    sleep: (ms, signal, { background = false } = { background: false }) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const stop = (): void => {
          sleeping = sleeping.filter((other) => other !== sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          due: elapsed + ms,
          background,
          wake: () => {
            signal?.removeEventListener('abort', stop);
            resolve();
          },
        };
        sleeping.push(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      }),
    async advance(ms) {
      const until = elapsed + ms;
      for (;;) {
        await settle();
        const next = sleeping.toSorted((a, b) => a.due - b.due)[0];
        if (!next || next.due > until) break;
        elapsed = Math.max(elapsed, next.due);
        sleeping = sleeping.filter((other) => other !== next);
        next.wake();
      }
      elapsed = until;
      await settle();
    },
  };
}

/** Lets everything run that waits for a promise only. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
