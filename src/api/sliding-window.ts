/** When the next request may be sent so that a limit per window holds at the service, however late requests arrive. */

/** At most `count` requests in any `windowMs` milliseconds, as the service counts them. */
export interface Limit {
  readonly count: number;
  readonly windowMs: number;
}

/**
 * Request number i may be sent when a window has passed since the service counted number i - count. It had counted
 * that one before it responded, so the time of the response is always safe. Before the response nothing is safe: a
 * stalled network delivers everything at once. But requests are counted after they are sent and
 * before their response arrives, which adds up to at least the quickest round trip: sending that much earlier is safe.
 */
export function createSlidingWindow({ count, windowMs }: Limit) {
  /** Infinity before the response. */
  const respondedAt = new Float64Array(count).fill(-Infinity);
  let next = 0;
  return {
    /** Infinity while that depends on a response that is still to come. */
    dueAt: (quickest: number) => respondedAt[next % count]! - quickest + windowMs,
    /** Notes a request that is sent now; returns its number. */
    sent(): number {
      respondedAt[next % count] = Infinity;
      return next++;
    },
    responded(number: number, now: number) {
      // A newer request may have taken the place.
      if (next - number <= count) respondedAt[number % count] = now;
    },
  };
}

/** How many latencies must be known before the shortest is used. */
const enough = 50;

const none = { count: 0, shortest: Infinity };

/** The quickest request of the last one to two minutes. */
export function createQuickestRequest() {
  let current = none;
  let previous = none;
  let nextMinute = -Infinity;
  return {
    add(latency: number, now: number) {
      if (now >= nextMinute) {
        previous = current;
        current = none;
        nextMinute = now + 60_000;
      }
      current = { count: current.count + 1, shortest: Math.min(current.shortest, latency) };
    },
    /**
     * Milliseconds; 0 while too few latencies are known. A tenth and 2 ms are subtracted, because the true minimum may be
     * lower and clocks are read late.
     */
    ms(): number {
      if (current.count + previous.count < enough) return 0;
      return Math.max(0, Math.min(current.shortest, previous.shortest) * 0.9 - 2);
    },
  };
}
