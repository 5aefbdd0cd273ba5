/**
 * When a request is sent again:
 * - what a refusal or a broken connection means (`refusals.ts`): was nothing done, or is that unsure? Where nothing was done and it
 *   may go through later, the client sends again, as long as the limits below allow.
 * - where it is unsure, the client sends again what does no harm when it is done twice: everything but the POSTs that
 *   `safePosts` does not name. A call can say otherwise (`repeat`).
 * - the other POSTs create something. Their callers look up whether that is there before they send again, no more often than
 *   `lostAnswers` says.
 */
import type { Clock } from '../lib/clock.ts';
import { NetworkFailure } from './network.ts';
import { readProblem } from './problem.ts';
import { classifyFailure, classifyResponse } from './refusals.ts';
import { isSuccess, type ApiRequest, type ApiResponse, type Method, type Repeat, type Send } from './send.ts';

/** POSTs that leave the same when they are done twice, or are refused the second time, which their callers take for done. */
const safePosts: readonly RegExp[] = [
  /search$/,
  /^\/v2\/users$/,
  /^\/admin\/v1\/export$/,
  // Parts of a user, its state, and domains of an organization.
  /\/users\/[^/]+\/(?:grants|links|metadata\/_bulk)$/,
  /\/users\/[^/]+\/_?(?:lock|unlock|deactivate|reactivate)$/,
  /^\/management\/v1\/orgs\/me\/domains$/,
  // A new secret takes the place of one that no one has seen.
  /\/_generate_client_secret$/,
  // A change of a target.
  /^\/v2\/actions\/targets\/[^/]+$/,
];

export function mayRepeat(method: Method, path: string): Repeat {
  return method !== 'POST' || safePosts.some((safe) => safe.test(path)) ? 'safe' : 'unsafe';
}

/** How often imports go on after answers that were lost, and after refusals. */
export const lostAnswers = {
  /** Of one user: by CreateUser, which tells on the next attempt, and by `_import`, after which the user is looked up. */
  createUser: 10,
  importUser: 3,
  /** Of one entry of a bulk import that is alone in its request. */
  entry: 3,
  /** Requests of a bulk import one after the other of which nothing has arrived. */
  requests: 8,
  /** So many entries refused one after the other are not the cause themselves. */
  refusals: 30,
} as const;

/** How long and how often; milliseconds. */
export interface RetryLimits {
  /** The wait after the first failure; it doubles from there. */
  readonly firstWait: number;
  readonly longestWait: number;
  /** A call gives up when its next wait would end later than this after its first failure. */
  readonly patience: number;
  /** The same before the service has responded at all: a wrong address should be reported soon. */
  readonly firstPatience: number;
  /** So many 429 in a row for one call, each after its full pause, and the call gives up. */
  readonly pauses: number;
  /** A longer Retry-After than this is not waited for: the call gives up and says when to come back. */
  readonly longestPause: number;
}

export const retryLimits: RetryLimits = {
  firstWait: 500,
  longestWait: 30_000,
  patience: 300_000,
  firstPatience: 10_000,
  pauses: 8,
  longestPause: 3_600_000,
};

/** Half of the wait is certain, half is chance, so that callers who failed together do not return together. */
export function backoff(failures: number, random: number, limits: RetryLimits = retryLimits): number {
  const wait = Math.min(limits.firstWait * 2 ** (failures - 1), limits.longestWait);
  return wait / 2 + (wait / 2) * random;
}

/** Milliseconds from `now` on that a `Retry-After` header asks for; undefined where it says nothing. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

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
