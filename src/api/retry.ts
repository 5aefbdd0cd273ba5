/** A `Send` in, one that repeats what may be repeated out; what may not comes through as it is. */
import type { Clock } from '../lib/clock.ts';
import { NetworkFailure } from './network.ts';
import {
  backoff,
  judgeAnswer,
  judgeFailure,
  parseRetryAfter,
  retryLimits,
  type RetryLimits,
  type Verdict,
} from './policy.ts';
import { readProblem } from './problem.ts';
import type { ApiAnswer, ApiRequest, Send } from './send.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly limits?: RetryLimits;
  /** Whether the service has answered anything yet; true when not given. */
  readonly reached?: () => boolean;
  /** Called before a wait, with milliseconds. */
  readonly onWait?: (ms: number) => void;
}

/** What one attempt came to. */
type Attempt = { readonly verdict: Verdict | 'done'; readonly end: ApiAnswer | NetworkFailure };

export function retry(options: RetryOptions): (send: Send) => Send {
  const { clock, limits = retryLimits, reached = () => true, onWait } = options;
  return (send) => async (request) => {
    const patience = new Patience(limits, clock, reached);
    for (;;) {
      const { verdict, end } = await attempt(send, request);
      const wait = nextWait(verdict, request, end, patience);
      if (wait === undefined) {
        if (end instanceof NetworkFailure) throw end;
        return end;
      }
      if (wait > 0) {
        onWait?.(wait);
        await clock.sleep(wait, request.signal);
      }
    }
  };
}

async function attempt(send: Send, request: ApiRequest): Promise<Attempt> {
  try {
    const answer = await send(request);
    if (answer.status >= 200 && answer.status < 300) return { verdict: 'done', end: answer };
    return { verdict: judgeAnswer(readProblem(answer)), end: answer };
  } catch (error) {
    if (!(error instanceof NetworkFailure)) throw error;
    return { verdict: judgeFailure(error), end: error };
  }
}

/** Milliseconds to wait before the next attempt; undefined where this was the last. */
function nextWait(
  verdict: Verdict | 'done',
  { repeat }: ApiRequest,
  end: ApiAnswer | NetworkFailure,
  patience: Patience,
): number | undefined {
  const asked = end instanceof NetworkFailure ? undefined : end.headers['retry-after'];
  // The line itself waits for as long as it must.
  if (verdict === 'hold') return patience.hold(asked) ? 0 : undefined;
  if (verdict === 'later' || (verdict === 'unsure' && repeat === 'safe')) return patience.wait(asked);
  return undefined;
}

/** How much of its limits one call has used up. */
class Patience {
  readonly #limits: RetryLimits;
  readonly #clock: Clock;
  readonly #reached: () => boolean;
  #failures = 0;
  #holds = 0;
  #since: number | undefined;

  constructor(limits: RetryLimits, clock: Clock, reached: () => boolean) {
    this.#limits = limits;
    this.#clock = clock;
    this.#reached = reached;
  }

  hold(asked: string | undefined): boolean {
    this.#holds += 1;
    const wait = parseRetryAfter(asked, this.#clock.now()) ?? 0;
    return this.#holds <= this.#limits.holds && wait <= this.#limits.longestHold;
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
