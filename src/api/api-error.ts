/** A call that did not succeed: which, what the service said, whether it was done all the same, and what to do. */
import { STATUS_CODES } from 'node:http';
import { IdportError } from '../errors.ts';
import { NetworkFailure } from './network.ts';
import { judgeAnswer, judgeFailure, type Verdict } from './policy.ts';
import { readProblem } from './problem.ts';
import { remedyFor } from './remedies.ts';
import type { ApiAnswer, ApiRequest } from './send.ts';
import { pathOf, plainUrl } from './url.ts';

/**
 * Whether the service carried the call out: `no`, or `unknown` where the answer was lost or says nothing
 * (an import that ran out of time has stored a part). Look up before sending again.
 */
export type Done = 'no' | 'unknown';

/** What a call is about, besides its request: `prepares` is the path of a call that needs it. */
export interface AskedFor {
  readonly org?: string | undefined;
  readonly prepares?: string | undefined;
}

export class ApiError extends IdportError {
  override readonly name = 'ApiError';
  readonly method: string;
  /** Without query and credentials. */
  readonly url: string;
  /** Undefined where there was no answer. */
  readonly status: number | undefined;
  readonly grpcCode: number | undefined;
  /** The service's stable key, for example `V3-DKcYh`. */
  readonly id: string | undefined;
  /** The service's words alone, masked; those of the status where it has none. Never empty. */
  readonly text: string;
  readonly verdict: Verdict;
  readonly done: Done;

  constructor(request: ApiRequest, end: ApiAnswer | NetworkFailure, { org, prepares }: AskedFor = {}) {
    const seen = describe(end);
    const url = plainUrl(request.url);
    const status = seen.status === undefined ? '' : `${seen.status} `;
    const { method } = request;
    const hint = remedyFor({ ...seen, method, path: prepares ?? pathOf(url), org });
    super(`api:${codes[seen.verdict]}`, `${method} ${url}: ${status}${seen.message}`.trimEnd(), {
      ...(hint === undefined ? {} : { hint }),
      ...(end instanceof NetworkFailure ? { cause: end } : {}),
    });
    this.method = method;
    this.url = url;
    this.status = seen.status;
    this.grpcCode = seen.code;
    this.id = seen.id;
    this.text = seen.message;
    this.verdict = seen.verdict;
    this.done = seen.verdict === 'unsure' ? 'unknown' : 'no';
  }
}

const codes: Readonly<Record<Verdict, string>> = {
  refused: 'refused',
  stop: 'stopped',
  'too-large': 'too-large',
  hold: 'too-many-requests',
  later: 'unreachable',
  renew: 'unauthenticated',
  unsure: 'no-answer',
};

interface Seen {
  readonly status?: number;
  readonly code?: number | undefined;
  readonly id?: string | undefined;
  readonly message: string;
  readonly network?: string;
  readonly verdict: Verdict;
}

function describe(end: ApiAnswer | NetworkFailure): Seen {
  if (end instanceof NetworkFailure) {
    return { message: end.message, network: end.code, verdict: judgeFailure(end) };
  }
  const problem = readProblem(end);
  const location = end.status < 400 ? end.headers['location'] : undefined;
  const words = problem.message || (STATUS_CODES[end.status] ?? 'an answer without a word');
  const message = location === undefined ? words : `moved to ${plainUrl(location)}`;
  return { ...problem, message, verdict: judgeAnswer(problem) };
}
