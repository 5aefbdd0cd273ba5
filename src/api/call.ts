/** What a caller asks of the service, and the request that this makes. */
import { mayRepeat } from './retry.ts';
import type { ApiRequest, Method, Repeat } from './send.ts';

export interface Call<Value = unknown> {
  readonly method: Method;
  /** From the base on, with a leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is already JSON and is sent unchanged. */
  readonly body?: unknown;
  /** The path of the call that this one prepares: a refusal then names the role that both need. */
  readonly prepares?: string;
  /** Goes into `x-zitadel-orgid`; without it the service takes the organization of the token's user. */
  readonly org?: string | undefined;
  /** Where it is not as `retry.ts` says. */
  readonly repeat?: Repeat;
  /** For the response to begin, in milliseconds; 30,000 when not given. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  /** Takes the body of the response as it comes; the value is then undefined. */
  readonly receive?: (body: AsyncIterable<Uint8Array>) => Promise<void>;
  /** Checks the response and gives it its type: a message of `wire/`, or anything else that can `parse`. */
  readonly answer?: { parse(value: unknown): Value };
  /** Without a token, for health checks; a response that is no JSON is undefined. */
  readonly anonymous?: boolean;
}

const defaultTimeout = 30_000;

/** `base` has no slash at the end; `signal` is that of the whole run. */
export function toRequest(base: string, call: Call, signal: AbortSignal | undefined): ApiRequest {
  const { method, path, query, body, org } = call;
  return {
    method,
    url: query === undefined ? `${base}${path}` : `${base}${path}?${new URLSearchParams(query).toString()}`,
    headers: {
      accept: 'application/json',
      'user-agent': 'idport',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(org !== undefined && { 'x-zitadel-orgid': org }),
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    timeout: call.timeout ?? defaultTimeout,
    repeat: call.repeat ?? mayRepeat(method, path),
    signal: joinSignals(signal, call.signal),
    receive: call.receive,
  };
}

function joinSignals(first?: AbortSignal, second?: AbortSignal): AbortSignal | undefined {
  return first === undefined || second === undefined ? (first ?? second) : AbortSignal.any([first, second]);
}
