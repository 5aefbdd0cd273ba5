/**
 * The one client for all calls of a run to the service.
 *
 *     const client = createClient({ url, credentials, clock, emit, signal, limits, pause, budget });
 *     const org = await client.call({ method: 'GET', path: '/management/v1/orgs/me', org: '3189...' });
 *     const made = await client.call({ method: 'POST', path: '/v2/actions/targets', body,
 *                                      answer: createTargetResponse });   // anything with `parse`
 *     const attempt = await client.attempt({ ... });  // { ok: true, value } | { ok: false, error }
 *     if (!attempt.ok && attempt.error.verdict === 'unsure') lookUpBeforeSendingAgain();
 *     await client.close();
 *
 * All calls share one queue (rate limits, budget, a pause after a 429), are repeated where that is safe, and carry a
 * token that is renewed before it expires.
 */
import { UsageError } from '../errors.ts';
import type { Emit } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import { tryParseJson } from '../lib/json-value.ts';
import { ApiError, type CallContext, ifRefused } from './api-error.ts';
import { connect, type Environment } from './connection.ts';
import { authorize, type Credentials } from './credentials.ts';
import {
  NetworkFailure,
  isSuccess,
  type Answer,
  type ApiRequest,
  type ApiResponse,
  type Send,
  type Method,
  type Repeat,
} from './send.ts';
import { readProblem } from './refusals.ts';
import { createRequestQueue, type QueueOptions } from './request-queue.ts';
import { retry, type RetryLimits, mayRepeat } from './retry.ts';
import { parseBase } from './url.ts';

export interface ClientOptions extends Omit<QueueOptions, 'onResponse' | 'onPause'> {
  /** Base of the instance, for example `https://example.zitadel.cloud`. A path in it is kept. */
  readonly url: string;
  readonly credentials: Credentials;
  readonly emit: Emit;
  /** Ends all waiting. Safe calls in flight are abandoned, unsafe ones are still waited for. */
  readonly signal?: AbortSignal;
  readonly retryLimits?: RetryLimits;
  /** Maximum number of connections. */
  readonly connections?: number;
  /** Environment variables, for proxies and certificates. */
  readonly env?: Environment;
  /** Updated with what is sent, for the report of the run. */
  readonly traffic?: Traffic | undefined;
  /** Replaces the network in tests. */
  readonly send?: Send;
}

/** Numbers of requests, which the client updates. */
export interface Traffic {
  /** All requests, including repeated ones. */
  requests: number;
  retries: number;
  tooManyRequests: number;
}

/** The outcome of a call as a value. After a lost response, `error.verdict` is `unsure`. */
export type Attempt<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ApiError };

export type Client = ReturnType<typeof createClient>;

/**
 * Returns the service's answer, or undefined if it refuses the call, for example without a permission. Throws any other
 * `ApiError`.
 */
export const callIfAllowed = <Value>(client: Client, call: Call<Value>) =>
  client.call(call).catch(ifRefused(() => undefined));

export function createClient(options: ClientOptions) {
  const { clock, emit, credentials, signal, traffic } = options;
  const url = parseBase(options.url);
  const { env = {}, connections = 64 } = options;
  const connection =
    options.send === undefined
      ? connect({ url, env, connections, emit })
      : { send: options.send, close: async () => {} };
  const service = watchService(clock);
  const waiting = (reason: 'rate-limit' | 'unreachable') => (ms: number) =>
    emit({ type: 'run:waiting', reason, seconds: ms / 1000 });
  const queue = createRequestQueue({
    ...options,
    onResponse: (response) => {
      if (traffic !== undefined && response.status === 429) traffic.tooManyRequests += 1;
      service.watch(response);
    },
    onPause: waiting('rate-limit'),
  });
  const send: Send = (request) => {
    if (traffic !== undefined) traffic.requests += 1;
    return connection.send(request);
  };
  const queued: Send = (request) => queue.send(request, send);
  const patience = {
    clock,
    limits: options.retryLimits,
    reached: service.reached,
    onRepeat: traffic && (() => void (traffic.retries += 1)),
    onWait: waiting('unreachable'),
  };
  const anonymous = retry(patience, queued);
  const tokens = credentials({ url, send: anonymous, clock, signal });
  const authorized = retry(patience, refuseOtherPages(authorize(tokens, queued)));

  const attempt = async <Value = unknown>(call: Call<Value>): Promise<Attempt<Value>> => {
    const request = toRequest(url, call, signal);
    const end = await (call.anonymous ? anonymous : authorized)(request);
    return !(end instanceof NetworkFailure) && isSuccess(end)
      ? { ok: true, value: end.value as Value }
      : { ok: false, error: new ApiError(request, end, call) };
  };

  return {
    /** Base of the instance, without a slash at the end. */
    url,
    /** Like `call`, but returns an `ApiError` as a value. */
    attempt,
    /** Throws `ApiError` for anything but a 2xx response, and the reason of the signal if that ended the wait. */
    async call<Value = unknown>(call: Call<Value>): Promise<Value> {
      const end = await attempt(call);
      if (!end.ok) throw end.error;
      return end.value;
    },
    /** Returns a token as the next call would send it. */
    token: async () => tokens.get(),
    /** Requests sent so far, including token requests. */
    get sent() {
      return queue.sent;
    },
    /** The service's time in milliseconds since 1970. Its `Date` headers have whole seconds. */
    serverNow: service.now,
    close: () => connection.close(),
  };
}

/** gRPC code. */
const unavailable = 14;

/** Tracks whether the service has answered yet, and its clock. Our own wall clock may be wrong, and may jump. */
function watchService(clock: Clock) {
  /** The service's time when the monotonic clock was zero. */
  let start: number | undefined;
  let seen = '';
  let reached = false;
  return {
    watch: (response: ApiResponse) => {
      reached ||= isOfService(response);
      const { date = '' } = response.headers;
      // The first response within a second is the most precise.
      if (date === seen || Number.isNaN(Date.parse(date))) return;
      seen = date;
      start = Date.parse(date) - clock.monotonic();
    },
    reached: () => reached,
    now: () => (start === undefined ? clock.now() : Math.floor(start + clock.monotonic())),
  };
}

/**
 * Reports whether the service answered. A page of a proxy does not count; an answer of the service's own gateway does, even while
 * the service starts.
 */
function isOfService(response: ApiResponse) {
  if (isSuccess(response)) return parseBody(response.text) !== undefined;
  return response.status < 500 || readProblem(response).code === unavailable;
}

/**
 * Turns a 2xx response of another form into a 502. It comes from a captive portal or a proxy, and it is unknown whether the call
 * was carried out.
 */
function refuseOtherPages(send: Send): Send {
  return async (request) => {
    const response = await send(request);
    if (!isSuccess(response) || request.receive !== undefined) return response;
    const value = parseBody(response.text);
    try {
      if (value !== undefined)
        return { ...response, value: request.answer === undefined ? value : request.answer.parse(value) };
    } catch {
      // Treated like a response that is not JSON.
    }
    const text = `a response with status ${response.status} that is not the service's`;
    return { ...response, status: 502, text, isOtherForm: value !== undefined };
  };
}

/** Parses a response. An empty one is an empty object; one that is not JSON is undefined. */
function parseBody(text: string) {
  return text === '' ? {} : tryParseJson(text);
}

export interface Call<Value = unknown> extends CallContext {
  readonly method: Method;
  /** Path relative to the base, with a leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is already JSON and is sent unchanged. */
  readonly body?: unknown;
  /** `mayRepeat` of `retry.ts` by default. */
  readonly repeat?: Repeat;
  /** Milliseconds until the response must begin. The default is 30,000. */
  readonly timeout?: number;
  /** Receives the body of the response in pieces. The value is then undefined. */
  readonly receive?: (body: AsyncIterable<Uint8Array>) => Promise<void>;
  readonly answer?: Answer<Value>;
  /** Sends the call without a token, for health checks. Its value is undefined. */
  readonly anonymous?: boolean;
}

const defaultTimeout = 30_000;

/** `base` has no slash at the end. `signal` is the signal of the whole run. */
function toRequest(base: string, call: Call, signal: AbortSignal | undefined): ApiRequest {
  const { method, path, query, body, org } = call;
  // The id goes into a header.
  if (org !== undefined && !/^[\x20-\x7e]*$/.test(org)) throw oddOrg(org);
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
    signal,
    receive: call.receive,
    answer: call.answer,
  };
}

function oddOrg(id: string) {
  const hex = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return new UsageError(
    `${JSON.stringify(id).replaceAll(/[^\x20-\x7e]/g, hex)} is not the id of an organization`,
    'An id has ASCII characters alone; copied text may have others that cannot be seen. Type it again.',
  );
}

/** Returns the call that reads what is at a path, to be sent with `client.call` or `client.attempt`. */
export function get<Value>(
  path: string,
  answer: Answer<Value>,
  context: CallContext & Pick<Call, 'query'> = {},
): Call<Value> {
  return { method: 'GET', path, answer, ...context };
}

/** Returns the call of a search. */
export function search<Value>(
  path: string,
  body: object,
  answer: Answer<Value>,
  context: CallContext = {},
): Call<Value> {
  return { method: 'POST', path, body, answer, ...context };
}

/** Entries per page, the service's own limit. */
export const pageSize = 1000;

/**
 * Yields one page after the other. `body` has the other members of the request. Pages overlap if something is added meanwhile.
 * Throws `ApiError`.
 */
export async function* searchPages<Page extends { readonly result: readonly unknown[] }>(
  client: Client,
  path: string,
  answer: Answer<Page>,
  { body, ...context }: CallContext & { readonly body?: object },
): AsyncGenerator<Page> {
  for (let offset = 0; ; offset += pageSize) {
    const query = { offset: String(offset), limit: pageSize, asc: true };
    const page = await client.call(search(path, { query, ...body }, answer, context));
    yield page;
    if (page.result.length < pageSize) return;
  }
}

/** Returns all entries of all pages. Throws `ApiError`. */
export async function searchAll<Item>(
  client: Client,
  path: string,
  answer: Answer<{ readonly result: readonly Item[] }>,
  context: CallContext = {},
) {
  const all: Item[] = [];
  for await (const { result } of searchPages(client, path, answer, context)) all.push(...result);
  return all;
}
