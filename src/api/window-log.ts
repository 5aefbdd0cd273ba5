/** The times of the last requests in, the earliest time at which the next one keeps a limit out. */

/** At most `count` requests in any `windowMs` milliseconds, as the service counts them. */
export interface Limit {
  readonly count: number;
  readonly windowMs: number;
}

/**
 * Request number i may go out when a window has passed since the service counted number i - count. It had counted
 * that one before it answered, so the time of the answer is always safe; while the answer is out, nothing is (a
 * network that stood still delivers everything at once). Of an answered request it is also known that it was counted
 * at the latest `jitter`, the spread of the latencies seen, after a steady delay: the earlier of the two holds.
 */
export class WindowLog {
  readonly #limit: Limit;
  readonly #sentAt: Float64Array;
  /** NaN while the answer is out. */
  readonly #answeredAt: Float64Array;
  #next = 0;

  constructor(limit: Limit) {
    this.#limit = limit;
    this.#sentAt = new Float64Array(limit.count).fill(-Infinity);
    this.#answeredAt = new Float64Array(limit.count).fill(-Infinity);
  }

  /** Infinity while that depends on an answer that is still out. */
  dueAt(jitter: number): number {
    const slot = this.#next % this.#limit.count;
    const answered = this.#answeredAt[slot] ?? -Infinity;
    if (answered === -Infinity) return -Infinity;
    if (Number.isNaN(answered)) return Infinity;
    return Math.min(answered, (this.#sentAt[slot] ?? 0) + jitter) + this.#limit.windowMs;
  }

  /** Notes a request that goes out now; returns its number. */
  sent(now: number): number {
    const number = this.#next++;
    const slot = number % this.#limit.count;
    this.#sentAt[slot] = now;
    this.#answeredAt[slot] = Number.NaN;
    return number;
  }

  answered(number: number, now: number): void {
    // The slot may have a younger request by now.
    if (this.#next - number <= this.#limit.count) this.#answeredAt[number % this.#limit.count] = now;
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
 * quickest round trip tells, and timers are late: a tenth of that and 2 ms go on top.
 */
export class JitterGauge {
  #current = noSpread();
  #previous = noSpread();
  #turnAt = -Infinity;

  add(latency: number, now: number): void {
    if (now >= this.#turnAt) {
      this.#previous = this.#current;
      this.#current = noSpread();
      this.#turnAt = now + 60_000;
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
