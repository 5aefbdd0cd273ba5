/**
 * The one queue of all requests of a process: it keeps the rate limits and the budget, and pauses after a 429. A
 * shared rate grants each turn, so that all processes together keep the limits.
 */
import { IdportError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { readProblem } from './problem.ts';
import { classifyResponse } from './refusals.ts';
import { parseRetryAfter } from './retry.ts';
import type { ApiResponse, Send } from './send.ts';
import type { SharedRate, SharedTurn } from './shared-rate.ts';
import { QuickestRequest, SlidingWindow, type Limit } from './sliding-window.ts';

/** How long nothing is sent after a 429 without Retry-After, in milliseconds. */
export interface PauseRule {
  /**
   * The length of a ban, where the service has bans: requests during a ban fail and may prolong it, and a ban looks
   * like any other 429, so the first pause is already this long.
   */
  readonly ban?: number | undefined;
  /** The first pause otherwise; it doubles with each pause in a row. */
  readonly first: number;
  readonly longest: number;
}

const defaultPause: PauseRule = { first: 1000, longest: 60_000 };

export interface QueueOptions {
  readonly clock: Clock;
  /** All apply at once; empty for no limit. */
  readonly limits?: readonly Limit[];
  /** Keeps the limits instead of this queue. */
  readonly shared?: SharedRate | undefined;
  /** Maximum number of requests. */
  readonly budget?: number | undefined;
  /** `never` where the caller would rather fail than wait after a 429. */
  readonly pause?: PauseRule | 'never' | undefined;
  readonly onResponse?: (response: ApiResponse) => void;
  /** Called when a pause begins, with its milliseconds. */
  readonly onPause?: (ms: number) => void;
}

/** The permission to send one request, released when its response is there or will not come. */
interface Slot {
  /** The number of the request in each of the sliding windows. */
  readonly numbers: readonly number[];
  readonly sentAt: number;
  readonly turn: SharedTurn | undefined;
  /** Pauses before this slot: a response to an older slot is not about the time after the pause. */
  readonly pauses: number;
}

interface Waiter {
  readonly grant: (slot: Slot) => void;
  readonly fail: (reason: unknown) => void;
}

/** How far a request may run ahead of the steady interval (ms), so that late timers do not reduce the rate. */
const slack = 15;
/** After a pause the interval is twice as long, and shrinks back to normal within this time (ms). */
const recovery = 60_000;
/** The longest interval of a queue without limits after a pause (ms). */
const longestInterval = 500;
/** Clocks differ: a pause ends a second after the ban, plus up to a random second. */
const banMargin = 1000;

export class RequestQueue {
  readonly #options: QueueOptions;
  readonly #clock: Clock;
  readonly #windows: readonly SlidingWindow[];
  readonly #quickest = new QuickestRequest();
  readonly #waiting = new Set<Waiter>();
  /** Milliseconds between two requests (T of GCRA); 0 where there is no limit. */
  readonly #interval: number;
  /** When the next request is due by the interval alone (TAT of GCRA). */
  #nextDue: number;
  /** Ends the sleep until the next request is due. */
  #changed = new AbortController();
  #serving = false;
  #sent = 0;
  #pausedUntil = -Infinity;
  #pauses = 0;
  #pausesInARow = 0;
  /** After a pause: when the first request was sent, how many were sent before it, and the interval at that time. */
  #since = { at: 0, sent: 0, interval: 0 };

  constructor(options: QueueOptions) {
    const { clock, shared } = options;
    const limits = shared === undefined ? (options.limits ?? []) : [];
    this.#options = options;
    this.#clock = clock;
    this.#windows = limits.map((limit) => new SlidingWindow(limit));
    this.#interval = Math.max(0, ...limits.map(({ count, windowMs }) => windowMs / count));
    // No burst at the start.
    this.#nextDue = clock.monotonic() + slack;
    this.#since.at = clock.monotonic();
  }

  /** Requests sent so far. */
  get sent(): number {
    return this.#sent;
  }

  /** Waits for the request's turn. Rejects with the signal's reason, or when the budget is spent. */
  async send(request: Parameters<Send>[0], send: Send): Promise<ApiResponse> {
    const slot = await this.#take(request.signal);
    let tooMany = false;
    try {
      const response = await send(request);
      this.#options.onResponse?.(response);
      const { pause = defaultPause } = this.#options;
      tooMany = response.status === 429 && classifyResponse(readProblem(response)) === 'pause';
      if (tooMany && pause !== 'never') this.#pause(slot, response, pause);
      return response;
    } finally {
      this.#release(slot, tooMany);
    }
  }

  #take(signal: AbortSignal | undefined): Promise<Slot> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const settle = () => {
        this.#waiting.delete(waiter);
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        grant(slot) {
          settle();
          resolve(slot);
        },
        fail(reason) {
          settle();
          reject(reason);
        },
      };
      const abort = () => {
        waiter.fail(signal?.reason);
        this.#wake();
      };
      this.#waiting.add(waiter);
      if (!this.#serving) void this.#serve();
      if (this.#waiting.has(waiter)) signal?.addEventListener('abort', abort, { once: true });
    });
  }

  /** One loop grants slots in order while requests wait. */
  async #serve(): Promise<void> {
    this.#serving = true;
    const { budget = Infinity } = this.#options;
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined) break;
      const wait = this.#dueAt() - this.#clock.monotonic();
      if (this.#sent >= budget) first.fail(budgetSpent(budget));
      else if (wait > 0) await this.#sleep(wait);
      else if (this.#options.shared === undefined) first.grant(this.#begin(this.#clock.monotonic()));
      else await this.#takeShared(this.#options.shared);
    }
    this.#serving = false;
  }

  /** Waits until the first request is due; if that fails, all waiting requests fail. */
  async #takeShared(shared: SharedRate): Promise<void> {
    let turn: SharedTurn | number;
    try {
      turn = await shared.take();
    } catch (error) {
      for (const waiter of this.#waiting) waiter.fail(error);
      return;
    }
    const [first] = this.#waiting;
    if (typeof turn === 'number') await this.#sleep(turn);
    else if (first === undefined) turn.release();
    else first.grant(this.#begin(this.#clock.monotonic(), turn));
  }

  /** Ended by any response, which may make a request due earlier. */
  async #sleep(wait: number): Promise<void> {
    const ms = Math.min(Math.max(1, Math.ceil(wait)), recovery);
    await this.#clock.sleep(ms, this.#changed.signal).catch(() => undefined);
  }

  #dueAt(): number {
    const { ms } = this.#quickest;
    const dues = this.#windows.map((window) => window.dueAt(ms));
    return Math.max(this.#pausedUntil, this.#nextDue - slack, ...dues);
  }

  #begin(now: number, turn?: SharedTurn): Slot {
    if (this.#sent === this.#since.sent) this.#since.at = now;
    this.#sent += 1;
    this.#nextDue = Math.max(now, this.#nextDue) + this.#intervalAt(now);
    const numbers = this.#windows.map((window) => window.sent());
    return { numbers, sentAt: now, turn, pauses: this.#pauses };
  }

  #intervalAt(now: number): number {
    const sincePause = now - this.#pausedUntil;
    if (sincePause >= recovery) return this.#interval;
    const slowness = 2 / (1 + Math.max(0, sincePause) / recovery);
    return Math.max(this.#interval, this.#since.interval) * slowness;
  }

  #release(slot: Slot, tooMany: boolean): void {
    if (!tooMany && slot.pauses === this.#pauses) this.#pausesInARow = 0;
    slot.turn?.release();
    if (this.#windows.length === 0) return;
    const now = this.#clock.monotonic();
    this.#quickest.add(now - slot.sentAt, now);
    for (const [index, window] of this.#windows.entries()) window.responded(slot.numbers[index] ?? 0, now);
    if (this.#waiting.size > 0) this.#wake();
  }

  /** Nothing is sent for a while, then slowly at first. Several 429s to requests of the same time cause one pause. */
  #pause(slot: Slot, response: ApiResponse, rule: PauseRule): void {
    const now = this.#clock.monotonic();
    const wasPaused = this.#pausedUntil > now;
    if (slot.pauses === this.#pauses) {
      const { at, sent } = this.#since;
      // Without a limit of our own, the interval is derived from the rate that was too high.
      const interval = Math.min(longestInterval, (now - at) / (this.#sent - sent));
      this.#since = { at: now, sent: this.#sent, interval };
      this.#pauses += 1;
      this.#pausesInARow += 1;
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, now + this.#pauseFor(response, rule));
    this.#options.shared?.pause(this.#pausedUntil - now);
    if (!wasPaused) this.#options.onPause?.(Math.max(0, this.#pausedUntil - now));
    this.#wake();
  }

  #pauseFor({ headers }: ApiResponse, { ban, first, longest }: PauseRule): number {
    const asked = parseRetryAfter(headers['retry-after'], this.#clock.now());
    const chance = this.#clock.random() * banMargin;
    if (asked !== undefined) return asked + chance / 4;
    if (ban !== undefined) return ban + banMargin + chance;
    return Math.min(first * 2 ** (this.#pausesInARow - 1), longest) + chance;
  }

  #wake(): void {
    const sleeping = this.#changed;
    this.#changed = new AbortController();
    sleeping.abort();
  }
}

function budgetSpent(budget: number): IdportError {
  return new IdportError(
    'api:budget',
    `the budget of ${budget} requests is spent`,
    'Each run may send so many; another --budget changes that.',
  );
}
