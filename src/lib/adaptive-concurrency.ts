/** Finds how many requests at a time make a run faster, from how quickly the answers come. */
import type { Clock } from './clock.ts';
import type { Concurrency } from './for-each-concurrent.ts';

export interface AdaptiveConcurrencyOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly maximum: number;
  /** The request rate limit; undefined where there is none. */
  readonly perSecond: number | undefined;
}

/** Where nothing limits the rate: enough to measure by. */
const unlimitedStart = 16;
/** An increase has to bring at least this much more answers a second, else it only adds latency. */
const worthwhile = 1.05;
/** Answers this quick (ms) show that nothing is waiting, whatever the rate does meanwhile. */
const quick = 20;
/** Below this part of the best rate, the service suffers from the concurrency. */
const suffering = 0.8;
const growth = 2;
const shrink = 0.7;
const shortestWindow = 50;
/** Windows to wait after an increase that was not worth it. */
const restWindows = 50;

/**
 * Concurrency = answers a second x seconds an answer takes. So when an increase brings no more answers, it has only
 * made each of them slower, and is taken back.
 */
export class AdaptiveConcurrency implements Concurrency {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #maximum: number;
  #now: number;
  #bestRate = 0;
  /** The concurrency before the increase that is being tried. */
  #before: number | undefined;
  #rest = 0;
  #answers = 0;
  #windowStart: number;

  constructor({ clock, maximum, perSecond }: AdaptiveConcurrencyOptions) {
    this.#clock = clock;
    this.#maximum = maximum;
    // With a limit, half a second's worth: requests that wait for the rate limit cost the service nothing.
    this.#now = Math.min(maximum, Math.max(4, Math.ceil((perSecond ?? 2 * unlimitedStart) / 2)));
    this.#windowStart = clock.monotonic();
  }

  get now(): number {
    return this.#now;
  }

  answered(): void {
    this.#answers += 1;
    if (this.#answers < 2 * this.#now) return;
    const elapsed = this.#clock.monotonic() - this.#windowStart;
    if (elapsed < shortestWindow) return;
    this.#adapt((this.#answers * 1000) / elapsed);
    this.#startWindow();
  }

  /** An answer was lost, or the service was too busy. */
  lost(): void {
    this.#now = Math.max(1, Math.floor(this.#now / 2));
    this.#forget();
    this.#startWindow();
  }

  /** `rate` is that of the window, in answers a second. */
  #adapt(rate: number): void {
    const latency = (this.#now * 1000) / rate;
    if (latency <= quick) {
      this.#now = Math.min(this.#maximum, this.#now * growth);
      this.#forget();
    } else if (this.#before !== undefined && rate <= this.#bestRate * worthwhile) {
      this.#now = this.#before;
      this.#before = undefined;
      this.#rest = restWindows;
    } else if (this.#before === undefined && rate < this.#bestRate * suffering) {
      this.#now = Math.max(1, Math.floor(this.#now * shrink));
      this.#forget();
    } else if (this.#before !== undefined || --this.#rest <= 0) {
      this.#bestRate = rate;
      this.#before = this.#now < this.#maximum ? this.#now : undefined;
      this.#now = Math.min(this.#maximum, this.#now * growth);
    }
  }

  #forget(): void {
    this.#bestRate = 0;
    this.#before = undefined;
    this.#rest = 0;
  }

  #startWindow(): void {
    this.#answers = 0;
    this.#windowStart = this.#clock.monotonic();
  }
}
