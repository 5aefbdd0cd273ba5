/**
 * When a request is sent again:
 * - If nothing was done and it may succeed later (`refusals.ts`), the client repeats it, within the limits below.
 * - If it is unknown whether it was done, the client repeats what is harmless when it is done twice: everything except the POSTs
 * that `safePosts` does not name. A call can override this (`repeat`).
 * - The other POSTs create something. Their callers look up whether it exists before they send them again, at most as often as
 * `lostAnswers` allows.
 */
import { type Clock, parseTime } from '../lib/clock.ts';
import {
  NetworkFailure,
  isSuccess,
  type ApiRequest,
  type End,
  type Method,
  type Repeat,
  type Send,
} from './send.ts';
import { readProblem, classifyFailure, classifyResponse } from './refusals.ts';

/** POSTs that have the same effect when sent twice, or are refused the second time, which their callers count as success. */
const safePosts = [
  /search$/,
  /^\/v2\/users$/,
  /^\/admin\/v1\/export$/,
  // Adds parts of a user, sets its state, or adds domains of an organization.
  /\/users\/[^/]+\/(?:grants|links|metadata\/_bulk)$/,
  /\/users\/[^/]+\/_?(?:lock|unlock|deactivate|reactivate)$/,
  /^\/management\/v1\/orgs\/me\/domains$/,
  // A new secret replaces one that no user has seen.
  /\/_generate_client_secret$/,
  // Changes a target.
  /^\/v2\/actions\/targets\/[^/]+$/,
];

export function mayRepeat(method: Method, path: string): Repeat {
  return method !== 'POST' || safePosts.some((safe) => safe.test(path)) ? 'safe' : 'unsafe';
}

/** Limits on how often imports continue after lost answers and after refusals. */
export const lostAnswers = {
  /** For one user, who is looked up after each lost answer. */
  createUser: 10,
  importUser: 3,
  /** For an organization, project, role or application, which is looked up after each lost answer. */
  resource: 3,
  /** For an entry that is alone in its request of a bulk import. */
  entry: 3,
  /** Consecutive requests of a bulk import from which nothing has arrived. */
  requests: 8,
  /** After this many consecutive refusals, the entries themselves are not the cause. */
  refusals: 30,
} as const;

/** Times are in milliseconds. */
export const retryLimits = {
  /** Wait after the first failure. It doubles from there. */
  firstWait: 500,
  longestWait: 30_000,
  /** A call fails if its next wait would end later than this after its first failure. */
  patience: 300_000,
  /** The same limit before the service has responded at all, so that a wrong address is reported soon. */
  firstPatience: 10_000,
  /** A call fails after this many 429s in a row, each after a full pause. */
  pauses: 8,
  /** A call fails if Retry-After is longer than this. */
  longestPause: 3_600_000,
};
export type RetryLimits = Readonly<typeof retryLimits>;

/** Returns the milliseconds to wait. Half is fixed, half random, so that calls that failed together do not return together. */
export function backoff(failures: number, random: number, limits = retryLimits) {
  const wait = Math.min(limits.firstWait * 2 ** (failures - 1), limits.longestWait);
  return wait / 2 + (wait / 2) * random;
}

/** Returns the milliseconds from `now` that a `Retry-After` header asks for, or undefined without a valid one. */
export function parseRetryAfter(value: string | undefined, now: number) {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = parseTime(text);
  return date === undefined ? undefined : Math.max(0, date - now);
}

interface RetryOptions {
  readonly clock: Clock;
  readonly limits?: RetryLimits | undefined;
  /** Whether the service has responded yet; true by default. */
  readonly reached?: () => boolean;
  /** Called before a request is sent again. */
  readonly onRepeat?: (() => void) | undefined;
  /** Called before a wait, with its milliseconds. */
  readonly onWait?: (ms: number) => void;
}

export function retry(options: RetryOptions, send: Send) {
  const { clock, onWait, onRepeat } = options;
  return async (request: ApiRequest): Promise<End> => {
    const patience = createPatience(options);
    for (;;) {
      const end = await send(request).catch((error: unknown) => {
        if (error instanceof NetworkFailure) return error;
        throw error;
      });
      const wait = nextWait(end, request, patience);
      if (wait === undefined) return end;
      onRepeat?.();
      if (wait === 0) continue;
      onWait?.(wait);
      await clock.sleep(wait, request.signal);
    }
  };
}

/** Returns the milliseconds to wait before the next attempt, or undefined if there is none. */
function nextWait(end: End, { repeat }: ApiRequest, patience: ReturnType<typeof createPatience>) {
  const failed = end instanceof NetworkFailure;
  if (!failed && isSuccess(end)) return undefined;
  const verdict = failed ? classifyFailure(end) : classifyResponse(readProblem(end));
  const asked = failed ? undefined : end.headers['retry-after'];
  // The request queue itself waits after a 429.
  if (verdict === 'pause') return patience.pause(asked) ? 0 : undefined;
  if (verdict !== 'later' && (verdict !== 'unsure' || repeat !== 'safe')) return undefined;
  return patience.wait(asked, !failed && end.isOtherForm === true);
}

/** Counts what one call has used of its limits. */
function createPatience({ clock, limits = retryLimits, reached = () => true }: RetryOptions) {
  let failures = 0;
  let pauses = 0;
  let since: number | undefined;
  const least = (asked: string | undefined) => parseRetryAfter(asked, clock.now()) ?? 0;
  return {
    pause: (asked: string | undefined) => ++pauses <= limits.pauses && least(asked) <= limits.longestPause,
    wait(asked: string | undefined, isOtherForm: boolean) {
      const now = clock.monotonic();
      since ??= now;
      const wait = Math.max(least(asked), backoff(++failures, clock.random(), limits));
      // A service of another version will always answer like this.
      const most = reached() && !isOtherForm ? limits.patience : limits.firstPatience;
      return now + wait - since <= most ? wait : undefined;
    },
  };
}
