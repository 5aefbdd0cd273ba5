/** Sends again what may be sent again, as `retry-policy.ts` says; everything else comes through as it is. */
import type { Clock } from '../lib/clock.ts';
import { NetworkFailure } from './network.ts';
import { readProblem } from './problem.ts';
import { classifyFailure, classifyResponse } from './refusals.ts';
import { backoff, parseRetryAfter, retryLimits, type RetryLimits } from './retry-policy.ts';
import { isSuccess, type ApiRequest, type ApiResponse, type Send } from './send.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly limits?: RetryLimits | undefined;
  /** Whether the service has responded yet; true when not given. */
  readonly reached?: () => boolean;
  /** Called before a request is sent again. */
  readonly onRepeat?: (() => void) | undefined;
  /** Called before a wait, with its milliseconds. */
  readonly onWait?: (ms: number) => void;
}

export function retry(options: RetryOptions, send: Send): Send {
  const { clock, onWait, onRepeat } = options;
  return async (request) => {
    const patience = new Patience(options);
    for (;;) {
      const end = await send(request).catch(failureAsValue);
      const wait = nextWait(end, request, patience);
      if (wait === undefined) {
        if (end instanceof NetworkFailure) throw end;
        return end;
      }
      onRepeat?.();
      if (wait === 0) continue;
      onWait?.(wait);
      await clock.sleep(wait, request.signal);
    }
  };
}

function failureAsValue(error: unknown): NetworkFailure {
  if (error instanceof NetworkFailure) return error;
  throw error;
}

/** Milliseconds to wait before the next attempt; undefined where this was the last. */
function nextWait(
  end: ApiResponse | NetworkFailure,
  { repeat }: ApiRequest,
  patience: Patience,
): number | undefined {
  const failed = end instanceof NetworkFailure;
  if (!failed && isSuccess(end)) return undefined;
  const verdict = failed ? classifyFailure(end) : classifyResponse(readProblem(end));
  const asked = failed ? undefined : end.headers['retry-after'];
  // The request queue itself waits for as long as it must.
  if (verdict === 'pause') return patience.pause(asked) ? 0 : undefined;
  if (verdict === 'later' || (verdict === 'unsure' && repeat === 'safe')) return patience.wait(asked);
  return undefined;
}

/** How much of its limits one call has used up. */
class Patience {
  readonly #limits: RetryLimits;
  readonly #clock: Clock;
  readonly #reached: () => boolean;
  #failures = 0;
  #pauses = 0;
  #since: number | undefined;

  constructor({ clock, limits = retryLimits, reached = () => true }: RetryOptions) {
    this.#limits = limits;
    this.#clock = clock;
    this.#reached = reached;
  }

  pause(asked: string | undefined): boolean {
    this.#pauses += 1;
    const wait = parseRetryAfter(asked, this.#clock.now()) ?? 0;
    return this.#pauses <= this.#limits.pauses && wait <= this.#limits.longestPause;
  }

  wait(asked: string | undefined): number | undefined {
    const now = this.#clock.monotonic();
    this.#since ??= now;
    this.#failures += 1;
    const least = parseRetryAfter(asked, this.#clock.now()) ?? 0;
    const wait = Math.max(least, backoff(this.#failures, this.#clock.random(), this.#limits));
    const end = now + wait - this.#since;
    const { patience, firstPatience } = this.#limits;
    return end <= (this.#reached() ? patience : firstPatience) ? wait : undefined;
  }
}
