/** Answers as they come in, how many requests should be under way at once out: as many as make it faster. */
import type { Clock } from '../../lib/clock.ts';

export interface WidthOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Never more than this. */
  readonly cap: number;
  /** Requests a second that the line lets go; undefined where it has no limit. */
  readonly perSecond: number | undefined;
}

/** Without a limit: enough to measure by. */
const unlimitedStart = 16;
/** A wider step has to bring so much, else it only makes everybody wait longer. */
const worthwhile = 1.05;
/** Answers that take no longer than this (ms) show that nobody waits, whatever the rate does meanwhile. */
const quick = 20;
/** Slower than this, and the service suffers from the width. */
const suffering = 0.8;
const growth = 2;
const shrink = 0.7;
const shortestWindow = 50;
/** After a step that was not worth it, so many windows pass before the next one is tried. */
const restWindows = 50;

/**
 * Requests under way = answers a second x seconds an answer takes: so when a wider step brings no more answers, the
 * latency has taken all of it, and the step is taken back.
 */
export class Width {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #cap: number;
  #now: number;
  #best = 0;
  /** The width before the step that is being tried. */
  #before: number | undefined;
  #rest = 0;
  #answers = 0;
  #windowStart: number;

  constructor({ clock, cap, perSecond }: WidthOptions) {
    this.#clock = clock;
    this.#cap = cap;
    // With a limit, half a second's worth: what waits for its turn costs the service nothing.
    this.#now = Math.min(cap, Math.max(4, Math.ceil((perSecond ?? 2 * unlimitedStart) / 2)));
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
    this.#judge((this.#answers * 1000) / elapsed);
    this.#begin();
  }

  /** An answer was lost or the service was too busy. */
  lost(): void {
    this.#now = Math.max(1, Math.floor(this.#now / 2));
    this.#forget();
    this.#begin();
  }

  /** `rate` is that of a window, in answers a second. */
  #judge(rate: number): void {
    const latency = (this.#now * 1000) / rate;
    if (latency <= quick) {
      this.#now = Math.min(this.#cap, this.#now * growth);
      this.#forget();
    } else if (this.#before !== undefined && rate <= this.#best * worthwhile) {
      this.#now = this.#before;
      this.#before = undefined;
      this.#rest = restWindows;
    } else if (this.#before === undefined && rate < this.#best * suffering) {
      this.#now = Math.max(1, Math.floor(this.#now * shrink));
      this.#forget();
    } else if (this.#before !== undefined || --this.#rest <= 0) {
      this.#best = rate;
      this.#before = this.#now < this.#cap ? this.#now : undefined;
      this.#now = Math.min(this.#cap, this.#now * growth);
    }
  }

  #forget(): void {
    this.#best = 0;
    this.#before = undefined;
    this.#rest = 0;
  }

  #begin(): void {
    this.#answers = 0;
    this.#windowStart = this.#clock.monotonic();
  }
}
