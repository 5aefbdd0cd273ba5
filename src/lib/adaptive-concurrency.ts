/** Adapts the number of concurrent requests to what makes a run faster, by the rate of the responses. */
import type { Clock } from './clock.ts';
import type { Concurrency } from './for-each-concurrent.ts';

export interface AdaptiveConcurrencyOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly maximum: number;
  /** The request rate limit; undefined where there is none. */
  readonly perSecond: number | undefined;
}

/** Without a rate limit: enough requests for a measurement. */
const unlimitedStart = 16;
/** An increase must raise the rate by this factor, else it only adds latency. */
const worthwhile = 1.05;
/** A latency (ms) at which no request is waiting, whatever the rate does meanwhile. */
const quick = 20;
/** Below this share of the best rate, the concurrency is too high for the service. */
const overloaded = 0.8;
const growth = 2;
const shrink = 0.7;
const shortestWindow = 50;
/** Windows to wait after an increase without effect. */
const restWindows = 50;

/**
 * Concurrency = responses a second x seconds a response takes. So an increase that does not raise the rate has only
 * made each response slower, and is reverted.
 */
export class AdaptiveConcurrency implements Concurrency {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #maximum: number;
  #now: number;
  #bestRate = 0;
  /** The concurrency before the increase that is being measured. */
  #before: number | undefined;
  #rest = 0;
  #responses = 0;
  #windowStart: number;

  constructor({ clock, maximum, perSecond }: AdaptiveConcurrencyOptions) {
    this.#clock = clock;
    this.#maximum = maximum;
    // With a limit, half a second's worth: requests that wait for the rate limit are no load for the service.
    this.#now = Math.min(maximum, Math.max(4, Math.ceil((perSecond ?? 2 * unlimitedStart) / 2)));
    this.#windowStart = clock.monotonic();
  }

  get now(): number {
    return this.#now;
  }

  answered(): void {
    this.#responses += 1;
    if (this.#responses < 2 * this.#now) return;
    const elapsed = this.#clock.monotonic() - this.#windowStart;
    if (elapsed < shortestWindow) return;
    this.#adapt((this.#responses * 1000) / elapsed);
    this.#startWindow();
  }

  /** A response was lost, or the service was overloaded. */
  lost(): void {
    this.#now = Math.max(1, Math.floor(this.#now / 2));
    this.#forget();
    this.#startWindow();
  }

  /** `rate` is that of the window, in responses a second. */
  #adapt(rate: number): void {
    const latency = (this.#now * 1000) / rate;
    if (latency <= quick) {
      this.#now = Math.min(this.#maximum, this.#now * growth);
      this.#forget();
    } else if (this.#before !== undefined && rate <= this.#bestRate * worthwhile) {
      this.#now = this.#before;
      this.#before = undefined;
      this.#rest = restWindows;
    } else if (this.#before === undefined && rate < this.#bestRate * overloaded) {
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
    this.#responses = 0;
    this.#windowStart = this.#clock.monotonic();
  }
}
