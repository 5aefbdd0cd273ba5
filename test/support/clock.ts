/** Clocks for tests: one that stands still until a test or a sleeper moves it, and the system's without the waiting. */
import { type Clock, systemClock } from '../../src/lib/clock.ts';

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
        const stop = () => {
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
function settle() {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Looks a millisecond after the other until it is so. A busy machine may take its time: only the timeout of the test ends it. */
export async function until(isSo: () => unknown) {
  while (!(await isSo())) await systemClock.sleep(1);
}

/**
 * Drives work to its end: the clock moves only when something sleeps on it. What waits for a disk or a socket instead is given
 * real time, a millisecond at once.
 */
export async function drive<Value>(clock: FakeClock, work: Promise<Value>) {
  const state = { done: false };
  const end = work.finally(() => {
    state.done = true;
  });
  end.catch(() => undefined);
  while (!state.done) {
    if (clock.sleepers > 0) await clock.advance(500);
    else await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return end;
}

/**
 * The system's clock, but a sleeper finds the time gone by at once. `others` is what must have had its turn while something
 * sleeps: on a busy machine a moment may not be enough.
 */
export function createHastyClock(others: () => Promise<void> = async () => {}): Clock {
  let ahead = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    monotonic: () => systemClock.monotonic() + ahead,
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

/** A clock that each sleep moves forward: every wait has its full length, and takes no time. */
export function advancing(clock: FakeClock): Clock {
  return {
    ...clock,
    async sleep(ms, signal, options) {
      signal?.throwIfAborted();
      if (options?.background === true) return clock.sleep(ms, signal, options);
      await clock.advance(ms);
    },
  };
}

/** So many callers share the requests: each makes the next as soon as its last one ended. */
export function callMany(
  clock: FakeClock,
  { callers, requests }: { readonly callers: number; readonly requests: number },
  call: (number: number) => Promise<unknown>,
) {
  let next = 0;
  const caller = async () => {
    while (next < requests) await call(next++);
  };
  return drive(clock, Promise.all(Array.from({ length: callers }, caller)));
}

/** The most of these times within any window: half-open, as a sliding log counts. */
export function mostWithin(windowMs: number, times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [last, time] of sorted.entries()) {
    while (time - sorted[first]! >= windowMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
