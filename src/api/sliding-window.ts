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
export class SlidingWindow {
  readonly #limit: Limit;
  /** Infinity before the response. */
  readonly #respondedAt: Float64Array;
  #next = 0;

  constructor(limit: Limit) {
    this.#limit = limit;
    this.#respondedAt = new Float64Array(limit.count).fill(-Infinity);
  }

  /** Infinity while that depends on a response that is still to come. */
  dueAt(quickest: number): number {
    const responded = this.#respondedAt[this.#next % this.#limit.count] ?? -Infinity;
    return responded - quickest + this.#limit.windowMs;
  }

  /** Notes a request that is sent now; returns its number. */
  sent(): number {
    const number = this.#next++;
    this.#respondedAt[number % this.#limit.count] = Infinity;
    return number;
  }

  responded(number: number, now: number): void {
    // A newer request may have taken the place.
    if (this.#next - number <= this.#limit.count) this.#respondedAt[number % this.#limit.count] = now;
  }
}

/** How many latencies must be known before the shortest is used. */
const enough = 50;

const none = { count: 0, shortest: Infinity };

/** The quickest request of the last one to two minutes. */
export class QuickestRequest {
  #current = none;
  #previous = none;
  #nextMinute = -Infinity;

  add(latency: number, now: number): void {
    if (now >= this.#nextMinute) {
      this.#previous = this.#current;
      this.#current = none;
      this.#nextMinute = now + 60_000;
    }
    const { count, shortest } = this.#current;
    this.#current = { count: count + 1, shortest: Math.min(shortest, latency) };
  }

  /**
   * Milliseconds; 0 while too few latencies are known. A tenth and 2 ms are subtracted, because the true minimum may be
   * lower and clocks are read late.
   */
  get ms(): number {
    if (this.#current.count + this.#previous.count < enough) return 0;
    const shortest = Math.min(this.#current.shortest, this.#previous.shortest);
    return Math.max(0, shortest * 0.9 - 2);
  }
}
