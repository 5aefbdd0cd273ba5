/** Everyone who wants to send stands in one line: turns in the order of asking, never more than the rate allows. */
import { IdportError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { JitterGauge, WindowLog, type Limit } from './window-log.ts';

export interface LineOptions {
  readonly clock: Clock;
  /** All hold at once; none means no limit. */
  readonly limits?: readonly Limit[];
  /** So many requests and not one more. */
  readonly budget?: number | undefined;
}

/** A turn that was taken; handed back with `leave` when the answer is there or will not come. */
export interface Turn {
  readonly numbers: readonly number[];
  readonly sentAt: number;
  /** Counts the holds before this turn: an answer to an earlier turn says nothing about the time after. */
  readonly era: number;
}

/** One for all calls of a process, token and look-ups included. */
export interface Line {
  /**
   * A turn when the request may go out: at once, or a promise of it. Throws or rejects with the signal's reason, or
   * when the budget is spent.
   */
  enter(signal?: AbortSignal): Turn | Promise<Turn>;
  /** `refused` where the answer was that there were too many requests. */
  leave(turn: Turn, refused: boolean): void;
  /**
   * Nobody goes for a while; afterwards the beat grows from half to full within a minute. Answers to turns of the
   * same time are one hold. `wait` gets the number of holds in a row and gives milliseconds from now.
   */
  hold(turn: Turn, wait: (holdsInARow: number) => number): void;
  /** Milliseconds until the present hold ends; 0 when there is none. */
  readonly held: number;
  readonly sent: number;
}

interface Waiter {
  readonly go: (turn: Turn) => void;
  readonly fail: (reason: unknown) => void;
}

/** How far a turn may run ahead of the steady beat, so that a timer that fires late costs no rate (ms). */
const slack = 15;
const recovery = 60_000;
/** The slowest that a line without limits of its own becomes after a hold. */
const slowestBeat = 500;

export function createLine(options: LineOptions): Line {
  return new PacedLine(options);
}

class PacedLine implements Line {
  readonly #clock: Clock;
  readonly #budget: number;
  readonly #logs: readonly WindowLog[];
  readonly #gauge = new JitterGauge();
  readonly #waiting = new Set<Waiter>();
  /** Milliseconds between two turns of the steady beat (T of GCRA); 0 where there is no limit. */
  readonly #beat: number;
  /** The next turn by the steady beat (TAT of GCRA). */
  #nextBeat: number;
  #changed = new AbortController();
  #pumping = false;
  #sent = 0;
  #heldUntil = -Infinity;
  #holdsInARow = 0;
  #era = { number: 0, start: 0, sent: 0, beat: 0 };

  constructor({ clock, limits = [], budget = Infinity }: LineOptions) {
    this.#clock = clock;
    this.#budget = budget;
    this.#logs = limits.map((limit) => new WindowLog(limit));
    this.#beat = Math.max(0, ...limits.map(({ count, windowMs }) => windowMs / count));
    // No burst at the start.
    this.#nextBeat = clock.monotonic() + slack;
    this.#era.start = clock.monotonic();
  }

  get sent(): number {
    return this.#sent;
  }

  get held(): number {
    return Math.max(0, this.#heldUntil - this.#clock.monotonic());
  }

  enter(signal?: AbortSignal): Turn | Promise<Turn> {
    signal?.throwIfAborted();
    if (this.#sent >= this.#budget) throw budgetSpent(this.#budget);
    const now = this.#clock.monotonic();
    return this.#waiting.size === 0 && this.#dueAt() <= now ? this.#take(now) : this.#queue(signal);
  }

  leave(turn: Turn, refused: boolean): void {
    if (!refused && turn.era === this.#era.number) this.#holdsInARow = 0;
    if (this.#logs.length === 0) return;
    const now = this.#clock.monotonic();
    this.#gauge.add(now - turn.sentAt, now);
    for (const [index, log] of this.#logs.entries()) log.answered(turn.numbers[index] ?? 0, now);
    if (this.#waiting.size > 0) this.#wake();
  }

  hold(turn: Turn, wait: (holdsInARow: number) => number): void {
    const now = this.#clock.monotonic();
    if (turn.era === this.#era.number) {
      const { number, start, sent } = this.#era;
      // Without a limit of our own, the rate that was too much is the measure of what to come back with.
      const beat = Math.min(slowestBeat, (now - start) / (this.#sent - sent));
      this.#era = { number: number + 1, start: now, sent: this.#sent, beat };
      this.#holdsInARow += 1;
    }
    this.#heldUntil = Math.max(this.#heldUntil, now + wait(this.#holdsInARow));
    this.#wake();
  }

  #dueAt(): number {
    const jitter = this.#gauge.jitter;
    let due = Math.max(this.#heldUntil, this.#nextBeat - slack);
    for (const log of this.#logs) due = Math.max(due, log.dueAt(jitter));
    return due;
  }

  #take(now: number): Turn {
    const sinceHold = now - this.#heldUntil;
    if (this.#sent === this.#era.sent) this.#era.start = now;
    this.#sent += 1;
    const beat =
      sinceHold < recovery ? Math.max(this.#beat, this.#era.beat) * slowness(sinceHold) : this.#beat;
    this.#nextBeat = Math.max(now, this.#nextBeat) + beat;
    return { numbers: this.#logs.map((log) => log.sent(now)), sentAt: now, era: this.#era.number };
  }

  #queue(signal: AbortSignal | undefined): Promise<Turn> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(waiter);
        reject(signal?.reason);
        this.#wake();
      };
      const done = (): void => signal?.removeEventListener('abort', stop);
      const waiter: Waiter = {
        go: (turn) => {
          done();
          resolve(turn);
        },
        fail: (reason) => {
          done();
          reject(reason);
        },
      };
      signal?.addEventListener('abort', stop, { once: true });
      this.#waiting.add(waiter);
      if (!this.#pumping) void this.#pump();
    });
  }

  /** One loop serves the line while anyone waits, and lets everybody go who is due at a time. */
  async #pump(): Promise<void> {
    this.#pumping = true;
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined) break;
      const wait = this.#dueAt() - this.#clock.monotonic();
      if (this.#sent >= this.#budget) {
        this.#waiting.delete(first);
        first.fail(budgetSpent(this.#budget));
      } else if (wait <= 0) {
        this.#waiting.delete(first);
        first.go(this.#take(this.#clock.monotonic()));
      } else {
        // Any answer may change what is due, and ends this sleep.
        const ms = Math.min(Math.max(1, Math.ceil(wait)), recovery);
        await this.#clock.sleep(ms, this.#changed.signal).catch(() => undefined);
      }
    }
    this.#pumping = false;
  }

  #wake(): void {
    const sleeping = this.#changed;
    this.#changed = new AbortController();
    sleeping.abort();
  }
}

/** After a hold the beat is half as fast, and back to full after a minute. */
function slowness(sinceHold: number): number {
  return 2 / (1 + Math.max(0, sinceHold) / recovery);
}

function budgetSpent(budget: number): IdportError {
  return new IdportError('api:budget', `the budget of ${budget} requests is spent`, {
    hint: 'Each run may send so many; another --budget changes that.',
  });
}
