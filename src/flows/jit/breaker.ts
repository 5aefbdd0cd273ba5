/** Leaves a system alone for a while that has failed several times in a row. */
import type { Clock } from '../../lib/clock.ts';

export interface Breaker {
  /** False while the system is left alone. After a pause one call alone gets true, which shows whether it is back. */
  enter(): boolean;
  /** Each call that has entered ends with one of these. */
  worked(): void;
  /** Failures of one user in a row count once: they may be of this user alone. */
  failed(user?: string): void;
  /** It says nothing about the system. */
  left(): void;
}

/** Failures in a row after which a system is left alone, and for how long (ms). */
const breakAfter = 5;
const breakFor = 30_000;

export function createBreaker(clock: Pick<Clock, 'monotonic'>): Breaker {
  const failures = new Set<string | symbol>();
  let openUntil = Number.NEGATIVE_INFINITY;
  let isTrying = false;
  return {
    enter() {
      if (failures.size < breakAfter) return true;
      if (isTrying || clock.monotonic() < openUntil) return false;
      isTrying = true;
      return true;
    },
    worked() {
      failures.clear();
      isTrying = false;
    },
    failed(user) {
      failures.add(user ?? Symbol('failure'));
      isTrying = false;
      if (failures.size >= breakAfter) openUntil = clock.monotonic() + breakFor;
    },
    left() {
      isTrying = false;
    },
  };
}
