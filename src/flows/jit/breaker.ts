/**
 * Waits for a system no longer than it may take, and leaves it alone for a while when it has failed several times in a
 * row.
 */
import type { Clock } from '../../lib/clock.ts';

/** What the work resolves to; the error of `late` where it takes longer (ms). */
export async function inTime<Value>(
  clock: Clock,
  longest: number,
  work: Promise<Value>,
  late: () => Error,
): Promise<Value> {
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

/** Failures in a row after which a system is left alone, and for how long (ms). */
const breakAfter = 5;
const breakFor = 5000;

/** Every call that entered ends with `worked`, `failed` or `left`. */
export function createBreaker(clock: Clock) {
  const failures = new Set<string | symbol>();
  let openUntil = Number.NEGATIVE_INFINITY;
  let isTrying = false;
  return {
    /** False while the system is left alone. After a pause one call alone gets true, which shows whether it is back. */
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
    /** Failures of one user in a row count once: they may be of this user alone. */
    failed(user?: string) {
      failures.add(user ?? Symbol('failure'));
      isTrying = false;
      if (failures.size >= breakAfter) openUntil = clock.monotonic() + breakFor;
    },
    /** Ended without saying anything about the system. */
    left() {
      isTrying = false;
    },
  };
}
