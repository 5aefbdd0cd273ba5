/** Limits how long to wait for a system, and stops calling it for a while after several failures in a row. */
import type { Clock } from '../../lib/clock.ts';

/** Resolves like `work`. Rejects with the error of `late` if that takes more than `longest` milliseconds. */
export async function inTime<Value>(clock: Clock, longest: number, work: Promise<Value>, late: () => Error) {
  const done = new AbortController();
  const isUp = clock.sleep(longest, done.signal, { background: true }).then(() => {
    throw late();
  });
  try {
    return await Promise.race([work, isUp]);
  } finally {
    done.abort();
  }
}

/** Failures in a row after which calls pause, and the length of the pause (ms). */
const breakAfter = 5;
const breakFor = 5000;

/** Creates a circuit breaker. Every call that entered must end with `worked`, `failed` or `left`. */
export function createBreaker(clock: Clock) {
  const failures = new Set<string | symbol>();
  let openUntil = -Infinity;
  let isTrying = false;
  return {
    /** Reports whether a call may start. After a pause a single call may, to find out whether the system is back. */
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
    /** Failures in a row for the same user count once, because only this user may be affected. */
    failed(user?: string) {
      failures.add(user ?? Symbol('failure'));
      isTrying = false;
      if (failures.size >= breakAfter) openUntil = clock.monotonic() + breakFor;
    },
    /** The call ended without telling whether the system works. */
    left() {
      isTrying = false;
    },
  };
}
