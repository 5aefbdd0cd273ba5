/** A `Dispatch` in, one that repeats what may be repeated out; what may not comes through as it is. */
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
import { toSend, type ApiAnswer, type ApiRequest, type Dispatch } from './send.ts';

export interface RetryOptions {
  /** Gives back the answer, or another in its place; not given: as it is. */
  readonly check?: (request: ApiRequest, answer: ApiAnswer) => ApiAnswer;
  readonly clock: Clock;
  readonly limits?: RetryLimits;
  /** Whether the service has answered anything yet; true when not given. */
  readonly reached?: () => boolean;
  /** Called before a wait, with milliseconds. */
  readonly onWait?: (ms: number) => void;
}

export function retry(options: RetryOptions): (dispatch: Dispatch) => Dispatch {
  const {
    clock,
    limits = retryLimits,
    reached = () => true,
    onWait,
    check = (_, answer) => answer,
  } = options;
  const insist = async (dispatch: Dispatch, request: ApiRequest, first: End): Promise<ApiAnswer> => {
    const patience = new Patience(limits, clock, reached);
    for (let end = first; ;) {
      if (isDone(end)) return end;
      const wait = nextWait(judge(end), request, end, patience);
      if (wait === undefined) {
        if (end instanceof NetworkFailure) throw end;
        return end;
      }
      if (wait > 0) {
        onWait?.(wait);
        await clock.sleep(wait, request.signal);
      }
      end = await toSend(dispatch)(request).then((answer) => check(request, answer), failureAsValue);
    }
  };
  // Those whose first answer will do go without a promise.
  return (dispatch) => (request, waiter) => {
    const goOn = (end: End): void => {
      insist(dispatch, request, end).then(
        (answer) => waiter.answered(answer),
        (error: unknown) => waiter.failed(error),
      );
    };
    dispatch(request, {
      answered(answer) {
        const end = check(request, answer);
        if (isDone(end)) waiter.answered(end);
        else goOn(end);
      },
      failed(error) {
        if (error instanceof NetworkFailure) goOn(error);
        else waiter.failed(error);
      },
    });
  };
}

type End = ApiAnswer | NetworkFailure;

function isDone(end: End): end is ApiAnswer {
  return !(end instanceof NetworkFailure) && end.status >= 200 && end.status < 300;
}

function failureAsValue(error: unknown): NetworkFailure {
  if (error instanceof NetworkFailure) return error;
  throw error;
}

function judge(end: End): Verdict {
  return end instanceof NetworkFailure ? judgeFailure(end) : judgeAnswer(readProblem(end));
}

/** Milliseconds to wait before the next attempt; undefined where this was the last. */
function nextWait(
  verdict: Verdict,
  { repeat }: ApiRequest,
  end: End,
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
