/** What a response or a network failure means for the request, as one table: may it be sent again, and when. */
import type { ServiceProblem } from './problem.ts';
import type { NetworkFailure } from './network.ts';

/**
 * - `refused`: the service said no. Nothing was done, and asking again changes nothing.
 * - `stop`: like refused, and every other call of the run would be refused as well.
 * - `too-large`: refused for its size. Only splitting helps, whatever the status says.
 * - `pause`: too many requests. Nothing was done; all requests wait.
 * - `later`: nothing was done, and it may go through after a while.
 * - `renew`: the token is not good (any more). Nothing was done; once with a new token.
 * - `unsure`: it may have been done, wholly or in part.
 */
export type Verdict = 'refused' | 'stop' | 'too-large' | 'pause' | 'later' | 'renew' | 'unsure';

/** A rule holds when everything that it names fits; the first that holds counts. */
interface Rule {
  readonly status?: readonly number[];
  /** gRPC code. */
  readonly code?: readonly number[];
  readonly id?: readonly string[];
  readonly text?: RegExp;
  readonly verdict: Verdict;
}

const rules: readonly Rule[] = [
  // A 429 has five causes, and only one of them is the rate.
  {
    status: [429],
    text: /^(?:grpc: )?(?:received message larger than max|trying to send message larger than max)/,
    verdict: 'too-large',
  },
  { status: [413], verdict: 'too-large' },
  { status: [429], id: ['LIMITS-molsj', 'QUOTA-vjAy8'], verdict: 'stop' },
  { status: [429], text: /instance is blocked|Instance\.Blocked|Access\.Exhausted/i, verdict: 'stop' },
  { status: [429], verdict: 'pause' },
  { status: [401], verdict: 'renew' },
  // A panic in the service before anything was written; the same request panics again.
  { id: ['RECOVER'], verdict: 'refused' },
  // gRPC Aborted: a conflict with another transaction, which was rolled back.
  { status: [409], code: [10], verdict: 'later' },
  // Right after a start the gateway runs already and cannot connect to the service behind it: nothing was sent on.
  { status: [503], code: [14], text: /while dialing|connection refused|name resolver/i, verdict: 'later' },
  { status: [425], verdict: 'later' },
  { status: [408, 499, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529], verdict: 'unsure' },
];

const byStage: Readonly<Record<NetworkFailure['stage'], Verdict>> = {
  connect: 'later',
  trust: 'stop',
  response: 'unsure',
};

export function classifyResponse(problem: ServiceProblem): Verdict {
  return rules.find((rule) => holds(rule, problem))?.verdict ?? 'refused';
}

export function classifyFailure(failure: NetworkFailure): Verdict {
  return byStage[failure.stage];
}

function holds(rule: Rule, { status, code, id, message }: ServiceProblem): boolean {
  if (rule.status?.includes(status) === false) return false;
  if (rule.code?.includes(code ?? -1) === false) return false;
  if (rule.id?.includes(id ?? '') === false) return false;
  return rule.text?.test(message) !== false;
}

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
