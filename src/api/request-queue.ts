/**
 * The one queue of all requests of a process. It keeps the rate limits and the budget, and pauses after a 429. A shared rate
 * grants each turn, so that all processes together keep the limits.
 */
import { IdportError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { formatCounted } from '../lib/format.ts';
import { readProblem, classifyResponse } from './refusals.ts';
import { parseRetryAfter, retryLimits } from './retry.ts';
import type { ApiRequest, ApiResponse, Send } from './send.ts';
import type { SharedRate, SharedTurn } from './shared-rate.ts';
import { createQuickestRequest, createRequestLog, type Limit } from './sliding-window.ts';

/** How long nothing is sent after a 429 without Retry-After, in milliseconds. */
export interface PauseRule {
  /**
   * Length of a ban, if the service has bans. Requests during a ban fail and may prolong it. A ban looks like any other 429, so
   * the first pause is already this long.
   */
  readonly ban?: number | undefined;
  /** First pause if the service has no bans. It doubles with each pause in a row. */
  readonly first: number;
  readonly longest: number;
}

const defaultPause: PauseRule = { first: 1000, longest: 60_000 };

export interface QueueOptions {
  readonly clock: Clock;
  /** All limits apply at once; empty for no limit. */
  readonly limits?: readonly Limit[];
  /** Keeps the limits in place of this queue. */
  readonly shared?: SharedRate;
  /** Maximum number of requests. */
  readonly budget?: number | undefined;
  /** `never` if the caller would rather fail than wait after a 429. */
  readonly pause?: PauseRule | 'never' | undefined;
  readonly onResponse?: (response: ApiResponse) => void;
  /** Called when a pause begins, with its milliseconds. */
  readonly onPause?: (ms: number) => void;
}

/** Permission to send one request. It is released when the response has arrived or will not come. */
interface Slot {
  /** Number of the request in the log of its limits. */
  readonly number: number;
  readonly sentAt: number;
  readonly turn: SharedTurn | undefined;
  /** Number of pauses before this slot. A response to an older slot says nothing about the time after the pause. */
  readonly pauses: number;
}

/** How far a request may be ahead of the steady interval (ms), so that late timers do not reduce the rate. */
const slack = 15;
/** After a pause, the interval is twice as long. It returns to normal within this time (ms). */
const recovery = 60_000;
/** Longest interval after a pause for a queue without limits (ms). */
const longestInterval = 500;
/** Clocks differ: a pause ends a second after the ban, plus up to a random second. */
const banMargin = 1000;

export function createRequestQueue(options: QueueOptions) {
  const { clock, shared, budget = Infinity, pause = defaultPause, onResponse } = options;
  const pace = createPace(options);
  let sleeping: AbortController | undefined;
  /** The last of the callers that wait for a slot, in order of arrival. */
  let line = Promise.resolve();

  /** Ends the sleep until the next request is due. */
  const wake = () => sleeping?.abort();
  const sleep = async (wait: number) => {
    sleeping = new AbortController();
    const ms = Math.min(Math.max(1, Math.ceil(wait)), recovery);
    await clock.sleep(ms, sleeping.signal).catch(() => undefined);
  };

  /** Waits until a request may be sent. Grants it at once, unless its caller has left the line: a lost slot is never released. */
  const takeSlot = async (signal: AbortSignal | undefined, grant: (slot: Slot) => void) => {
    const hasLeft = () => signal?.aborted === true;
    while (!hasLeft()) {
      if (pace.sent() >= budget) {
        throw new IdportError(
          'api:budget',
          `the budget of ${formatCounted(budget, 'request')} is spent`,
          'Look-ups count as well: a run that ends before it changes anything needs a larger --budget.',
        );
      }
      const wait = pace.wait();
      const turn = wait > 0 ? wait : await shared?.take();
      if (typeof turn === 'number') await sleep(turn);
      else if (hasLeft()) turn?.release();
      else {
        grant(pace.begin(turn));
        return;
      }
    }
  };

  /** An error of the budget or of the shared rate fails all callers after it, too: none of them could be sent. */
  const join = (signal: AbortSignal | undefined) =>
    new Promise<Slot>((resolve, reject) => {
      signal?.throwIfAborted();
      const leave = () => {
        reject(signal?.reason as Error);
        wake();
      };
      signal?.addEventListener('abort', leave);
      line = line.then(() => takeSlot(signal, resolve));
      void line.catch(reject).finally(() => signal?.removeEventListener('abort', leave));
    });

  return {
    get sent() {
      return pace.sent();
    },
    /** Waits for the request's turn and sends it. Rejects with the signal's reason, or if the budget is spent. */
    async send(request: ApiRequest, send: Send) {
      const slot = await join(request.signal);
      let tooMany = false;
      try {
        const response = await send(request);
        onResponse?.(response);
        tooMany = response.status === 429 && classifyResponse(readProblem(response)) === 'pause';
        if (tooMany && pause !== 'never') pace.pause(slot, response, pause);
        return response;
      } finally {
        pace.release(slot, tooMany);
        // The response may make a request due earlier.
        wake();
      }
    },
  };
}

/** Computes when requests are due: by the windows, by a steady interval, and after a pause. */
function createPace({ clock, shared, limits: own = [], onPause }: QueueOptions) {
  const limits = shared === undefined ? own : [];
  const log = createRequestLog(limits);
  const quickest = createQuickestRequest();
  /** Milliseconds between two requests (T of GCRA); 0 if there is no limit. */
  const steadyInterval = Math.max(0, ...limits.map(({ count, windowMs }) => windowMs / count));
  /** Time at which the next request is due by the interval alone (TAT of GCRA). There is no burst at the start. */
  let nextDue = clock.monotonic() + slack;
  let sent = 0;
  let pausedUntil = -Infinity;
  let pauses = 0;
  let pausesInARow = 0;
  /** The last pause: time of the first request after it, number of requests before it, and the interval at that time. */
  let since = { at: clock.monotonic(), sent: 0, interval: 0 };

  const intervalAt = (now: number) => {
    const sincePause = now - pausedUntil;
    if (sincePause >= recovery) return steadyInterval;
    const slowness = 2 / (1 + Math.max(0, sincePause) / recovery);
    return Math.max(steadyInterval, since.interval) * slowness;
  };

  const pauseFor = (asked: number | undefined, { ban, first, longest }: PauseRule) => {
    const chance = clock.random() * banMargin;
    if (asked !== undefined) return asked + chance / 4;
    if (ban !== undefined) return ban + banMargin + chance;
    return Math.min(first * 2 ** (pausesInARow - 1), longest) + chance;
  };

  return {
    sent: () => sent,
    /** Milliseconds until the next request is due. */
    wait() {
      return Math.max(pausedUntil, nextDue - slack, log.dueAt(quickest.ms())) - clock.monotonic();
    },
    begin(turn?: SharedTurn): Slot {
      const now = clock.monotonic();
      if (sent === since.sent) since.at = now;
      sent += 1;
      nextDue = Math.max(now, nextDue) + intervalAt(now);
      return { number: log.sent(), sentAt: now, turn, pauses };
    },
    release(slot: Slot, tooMany: boolean) {
      if (!tooMany && slot.pauses === pauses) pausesInARow = 0;
      slot.turn?.release();
      const now = clock.monotonic();
      quickest.add(now - slot.sentAt, now);
      log.responded(slot.number, now);
    },
    /** Stops sending for a while, then starts slowly. Several 429s for requests of the same time cause one pause. */
    pause(slot: Slot, { headers }: ApiResponse, rule: PauseRule) {
      const asked = parseRetryAfter(headers['retry-after'], clock.now());
      // The call fails, and no other one should wait that long.
      if (asked !== undefined && asked > retryLimits.longestPause) return;
      const now = clock.monotonic();
      const wasPaused = pausedUntil > now;
      if (slot.pauses === pauses) {
        // Without a limit of our own, the interval comes from the rate that was too high.
        const interval = Math.min(longestInterval, (now - since.at) / (sent - since.sent));
        since = { at: now, sent, interval };
        pauses += 1;
        pausesInARow += 1;
      }
      pausedUntil = Math.max(pausedUntil, now + pauseFor(asked, rule));
      shared?.pause(pausedUntil - now);
      if (!wasPaused) onPause?.(Math.max(0, pausedUntil - now));
    },
  };
}
