/** When the next request may be sent so that a limit per window holds at the service, however late requests arrive. */

/** At most `count` requests in any `windowMs` milliseconds, as the service counts them. */
export interface Limit {
  readonly count: number;
  readonly windowMs: number;
}

/**
 * Request number i may be sent when a window has passed since the service counted number i - count. It had counted
 * that one before it responded, so the time of the response is always safe; before the response nothing is (a network
 * that stood still delivers everything at once). Of a request with a response it is also known that it was counted at
 * the latest `jitter`, the spread of the latencies seen, after it was sent: the earlier of the two holds.
 */
export class SlidingWindow {
  readonly #limit: Limit;
  readonly #sentAt: Float64Array;
  /** NaN before the response. */
  readonly #respondedAt: Float64Array;
  #next = 0;

  constructor(limit: Limit) {
    this.#limit = limit;
    this.#sentAt = new Float64Array(limit.count).fill(-Infinity);
    this.#respondedAt = new Float64Array(limit.count).fill(-Infinity);
  }

  /** Infinity while that depends on a response that is still to come. */
  dueAt(jitter: number): number {
    const place = this.#next % this.#limit.count;
    const responded = this.#respondedAt[place] ?? -Infinity;
    if (responded === -Infinity) return -Infinity;
    if (Number.isNaN(responded)) return Infinity;
    return Math.min(responded, (this.#sentAt[place] ?? 0) + jitter) + this.#limit.windowMs;
  }

  /** Notes a request that is sent now; returns its number. */
  sent(now: number): number {
    const number = this.#next++;
    const place = number % this.#limit.count;
    this.#sentAt[place] = now;
    this.#respondedAt[place] = Number.NaN;
    return number;
  }

  responded(number: number, now: number): void {
    // A younger request may have taken the place.
    if (this.#next - number <= this.#limit.count) this.#respondedAt[number % this.#limit.count] = now;
  }
}

interface Spread {
  count: number;
  longest: number;
  shortest: number;
}

const noSpread = (): Spread => ({ count: 0, longest: -Infinity, shortest: Infinity });

/** So many latencies must have been seen before their spread says anything. */
const enough = 50;

/**
 * The spread of the latencies of the last one to two minutes. One way of a round trip can be quicker than the
 * quickest round trip tells, and timers are late: a tenth of that and 2 ms are added.
 */
export class LatencySpread {
  #current = noSpread();
  #previous = noSpread();
  #nextMinute = -Infinity;

  add(latency: number, now: number): void {
    if (now >= this.#nextMinute) {
      this.#previous = this.#current;
      this.#current = noSpread();
      this.#nextMinute = now + 60_000;
    }
    this.#current.count += 1;
    this.#current.longest = Math.max(this.#current.longest, latency);
    this.#current.shortest = Math.min(this.#current.shortest, latency);
  }

  /** Infinity while too little is known. */
  get jitter(): number {
    if (this.#current.count + this.#previous.count < enough) return Infinity;
    const longest = Math.max(this.#current.longest, this.#previous.longest);
    const shortest = Math.min(this.#current.shortest, this.#previous.shortest);
    return longest - shortest * 0.9 + 2;
  }
}
