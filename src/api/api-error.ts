/** A failed call: which call it was, the service's answer, whether it was carried out, and what to do. */
import { STATUS_CODES } from 'node:http';
import { IdportError } from '../errors.ts';
import { NetworkFailure, type ApiRequest, type End } from './send.ts';
import {
  readProblem,
  classifyFailure,
  classifyResponse,
  remedyFor,
  type Refusal,
  type Verdict,
} from './refusals.ts';
import { pathOf, plainUrl } from './url.ts';

/** What a refusal of a call is about, besides its request. */
export interface CallContext {
  /** Sent as `x-zitadel-orgid`. Without it, the service uses the organization of the token's user. */
  readonly org?: string | undefined;
  /** Path of the call that this one prepares. A refusal then names the role that both need. */
  readonly prepares?: string;
}

export class ApiError extends IdportError {
  override readonly name = 'ApiError';
  /** Undefined if there was no response. */
  readonly status: number | undefined;
  readonly grpcCode: number | undefined;
  /** The service's stable key, for example `V3-DKcYh`. */
  readonly id: string | undefined;
  /** The service's own text, masked, or the text of the status. Never empty. */
  readonly text: string;
  readonly verdict: Verdict;

  constructor(request: ApiRequest, end: End, { org, prepares }: CallContext = {}) {
    const problem = describe(end);
    const url = plainUrl(request.url);
    // The title of a proxy's page often begins with the status.
    const isTold = problem.status === undefined || problem.message.startsWith(`${problem.status} `);
    const status = isTold ? '' : `${problem.status} `;
    const hint = remedyFor({ ...problem, path: prepares ?? pathOf(url), org });
    const cause = end instanceof NetworkFailure ? end : undefined;
    super(
      `api:${codes[problem.verdict]}`,
      `${request.method} ${url}: ${status}${problem.message}`,
      hint,
      cause,
    );
    this.status = problem.status;
    this.grpcCode = problem.code;
    this.id = problem.id;
    this.text = problem.message;
    this.verdict = problem.verdict;
  }
}

/** Reports whether only this call was refused, for example because the token lacks a permission. Other calls may succeed. */
export const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.verdict === 'refused';

/** For `catch`: continues with the result of `goOn` after such a refusal. Throws any other error. */
export const ifRefused =
  <Value>(goOn: (refusal: ApiError) => Value) =>
  (error: unknown) => {
    if (!isRefusal(error)) throw error;
    return goOn(error);
  };

/** For `catch`: returns undefined if the service did not find what was requested. Throws any other error. */
export function ifMissing(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}

const codes = {
  refused: 'refused',
  stop: 'stopped',
  'too-large': 'too-large',
  pause: 'too-many-requests',
  later: 'unreachable',
  renew: 'unauthenticated',
  unsure: 'no-answer',
} as const satisfies Record<Verdict, string>;

interface Problem extends Refusal {
  readonly message: string;
  readonly verdict: Verdict;
}

function describe(end: End): Problem {
  if (end instanceof NetworkFailure) {
    return { message: end.message, network: end.code, verdict: classifyFailure(end) };
  }
  const problem = readProblem(end);
  const location = end.status < 400 ? end.headers['location'] : undefined;
  const words = problem.message || (STATUS_CODES[end.status] ?? 'a response without a message');
  const message = location === undefined ? words : `moved to ${plainUrl(location)}`;
  return { ...problem, message, verdict: classifyResponse(problem) };
}
