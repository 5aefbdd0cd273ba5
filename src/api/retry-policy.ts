/** When a request is sent again: how long the waits are, and how many. */

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
