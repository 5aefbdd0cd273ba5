/** Computes when the next request may be sent so that all limits per window hold at the service, however late requests arrive. */

/** At most `count` requests in any `windowMs` milliseconds, as the service counts them. */
export interface Limit {
  readonly count: number;
  readonly windowMs: number;
}

/**
 * Request i may be sent when a window has passed since the service counted request i - count. The service counts a request before
 * it responds, so the time of the response is always safe. Before the response, no time is safe, because a stalled network
 * delivers everything at once. The time from counting to the response of the one request, plus the time from sending to counting
 * of the other, is at least the quickest round trip. Sending that much earlier is therefore safe.
 */
export function createRequestLog(limits: readonly Limit[]) {
  const kept = Math.max(0, ...limits.map(({ count }) => count));
  /** Times of the last responses. Infinity: sent, but no response yet. */
  const respondedAt = new Float64Array(kept).fill(-Infinity);
  let next = 0;
  return {
    /** Time at which the next request may be sent; Infinity while it depends on a response that has not arrived. */
    dueAt: (quickest: number) =>
      Math.max(
        ...limits.map(
          ({ count, windowMs }) => respondedAt[(next - count + kept) % kept]! - quickest + windowMs,
        ),
      ),
    /** Notes that a request is sent now. Returns its number. */
    sent() {
      respondedAt[next % kept] = Infinity;
      return next++;
    },
    responded(number: number, now: number) {
      // A newer request may have taken its place.
      if (next - number <= kept) respondedAt[number % kept] = now;
    },
  };
}

/** Number of latencies that must be known before the shortest one is used. */
const enough = 50;

const none = { count: 0, shortest: Infinity };

/** Tracks the quickest request of the last one to two minutes. */
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
     * Returns milliseconds, or 0 while too few latencies are known. A tenth and 2 ms are subtracted, because the true minimum may
     * be lower and clocks are read late.
     */
    ms() {
      if (current.count + previous.count < enough) return 0;
      return Math.max(0, Math.min(current.shortest, previous.shortest) * 0.9 - 2);
    },
  };
}
