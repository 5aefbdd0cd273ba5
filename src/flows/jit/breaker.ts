/** Leaves a system alone for a while that has failed several times in a row. */
import type { Clock } from '../../lib/clock.ts';

export interface Breaker {
  /** The system is left alone now. */
  readonly isOpen: boolean;
  worked(): void;
  failed(): void;
}

/** Failures in a row after which a system is left alone, and for how long (ms). */
const breakAfter = 5;
const breakFor = 30_000;

export function createBreaker(clock: Pick<Clock, 'monotonic'>): Breaker {
  let failures = 0;
  let openUntil = Number.NEGATIVE_INFINITY;
  return {
    get isOpen() {
      return clock.monotonic() < openUntil;
    },
    worked() {
      failures = 0;
    },
    failed() {
      failures++;
      // One attempt after each pause shows whether it is back.
      if (failures >= breakAfter) openUntil = clock.monotonic() + breakFor;
    },
  };
}
