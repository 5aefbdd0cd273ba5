/**
 * One client for all that a run has to say to the service: calls in, parsed answers or an `ApiError` out.
 *
 *     const client = createClient({ url, credentials, clock, emit, signal, limits, hold, budget });
 *     const org = await client.call({ method: 'GET', path: '/management/v1/orgs/me', org: '3189...' });
 *     const made = await client.call({ method: 'POST', path: '/v2/actions/targets', body, repeat: 'unsafe',
 *                                      answer: createTargetResponse });   // any zod schema
 *     const attempt = await client.attempt({ ... });  // { ok: true, value } | { ok: false, error }
 *     if (!attempt.ok && attempt.error.done === 'unknown') lookUpBeforeSendingAgain();
 *     await client.close();
 *
 * Every call takes its turn in one line (rate, budget, a 429 holds everyone), is repeated where that cannot do harm
 * (`retry(pace(send))`), and carries a token that is renewed before it ends.
 */
import { IdportError, InterruptedError } from '../errors.ts';
import type { Emit } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import { ApiError } from './api-error.ts';
import { connect, type Connection, type Environment } from './connection.ts';
import { authorize, type Credentials } from './credentials.ts';
import { createLine } from './line.ts';
import { NetworkFailure } from './network.ts';
import { pace, type HoldRule } from './pace.ts';
import type { RetryLimits } from './policy.ts';
import { createRequests } from './request.ts';
import { retry } from './retry.ts';
import {
  toDispatch,
  toSend,
  type ApiAnswer,
  type ApiRequest,
  type Method,
  type Repeat,
  type Send,
} from './send.ts';
import { parseBase } from './url.ts';
import type { Limit } from './window-log.ts';

export interface ClientOptions {
  /** The base of the instance, for example `https://example.zitadel.cloud`; a path in it is kept. */
  readonly url: string;
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly emit: Emit;
  /** Ends all waiting; safe calls under way are abandoned, unsafe ones are waited for. */
  readonly signal?: AbortSignal;
  /** None means no limit. The profiles have those of the hosted service. */
  readonly limits?: readonly Limit[];
  readonly hold?: HoldRule;
  readonly budget?: number | undefined;
  readonly retryLimits?: RetryLimits;
  /** How many connections at most. */
  readonly connections?: number;
  /** For proxies and certificates. */
  readonly env?: Environment;
  /** In place of the network, for tests. */
  readonly send?: Send;
}

export interface Call<Value = unknown> {
  readonly method: Method;
  /** From the base on, with a leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is sent as it stands, it is JSON already. */
  readonly body?: unknown;
  /** The path of the call that this one prepares: a refusal then names the role that both need. */
  readonly prepares?: string;
  /** Goes into `x-zitadel-orgid`; without it the service takes the organization of the token's user. */
  readonly org?: string | undefined;
  /** Default: `unsafe` for POST and PATCH, `safe` for the others. Searches are safe POSTs: say so. */
  readonly repeat?: Repeat;
  /** For the answer to begin, in milliseconds; 30,000 when not given. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  /** Takes the body of the answer as it comes; the value is then undefined. */
  readonly receive?: (body: AsyncIterable<Uint8Array>) => Promise<void>;
  /** Checks the answer and gives it its type: a zod schema, or anything else that can `parse`. */
  readonly answer?: { parse(value: unknown): Value };
  /** Without a token, for health checks; an answer that is no JSON is undefined. */
  readonly anonymous?: boolean;
  /** Called each time right before the request leaves; where it throws, the request stays and fails with that. */
  readonly leaving?: () => void;
}

/** How a call ended, as a value. A lost answer is an end of its own: `error.done` is `unknown`. */
export type Attempt<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ApiError };

/** One of the two is called, once, and must not throw. */
export interface CallWaiter<Value> {
  ended(end: Attempt<Value>): void;
  /** What is thrown by `attempt`. */
  failed(error: unknown): void;
}

export interface Client {
  /** Without a slash at the end. */
  readonly url: string;
  /** Throws `ApiError` for whatever is not a 2xx answer, `InterruptedError` when the signal ended the wait. */
  call<Value = unknown>(call: Call<Value>): Promise<Value>;
  /** The same, but an `ApiError` comes back as a value. */
  attempt<Value = unknown>(call: Call<Value>): Promise<Attempt<Value>>;
  /** The same without a promise, for calls of which there are very many. */
  begin<Value = unknown>(call: Call<Value>, waiter: CallWaiter<Value>): void;
  /** A token as it would go with the next call. */
  token(): Promise<string>;
  /** Requests sent so far, token requests included. */
  readonly sent: number;
  /** What the service's clock says, in milliseconds since 1970; its `Date` headers have whole seconds. */
  serverNow(): number;
  close(): Promise<void>;
}

export function createClient(options: ClientOptions): Client {
  const { clock, emit, credentials } = options;
  const url = parseBase(options.url);
  const connection: Connection =
    options.send === undefined
      ? connect({ url, env: options.env ?? {}, connections: options.connections ?? 64, emit })
      : { dispatch: toDispatch(options.send), close: async () => {} };
  const line = createLine({ clock, limits: options.limits ?? [], budget: options.budget });
  const waits = (reason: 'rate-limit' | 'unreachable') => (ms: number) =>
    emit({ type: 'run:waiting', reason, seconds: ms / 1000 });
  /** The service's clock where the monotonic one stood at zero: our own wall clock may be wrong, and may jump. */
  let serviceStart: number | undefined;
  let reached = false;
  let seen = '';

  const watch = (answer: ApiAnswer): void => {
    // A page of a proxy is no sign of life of the service.
    if (answer.status < 500) reached = true;
    const date = answer.headers['date'];
    if (date !== undefined && date !== seen) {
      seen = date;
      const serverTime = Date.parse(date);
      if (!Number.isNaN(serverTime)) serviceStart = serverTime - clock.monotonic();
    }
  };
  const paced = pace({
    line,
    clock,
    ...optional('hold', options.hold),
    onAnswer: watch,
    onHold: waits('rate-limit'),
  })(connection.dispatch);
  const patience = {
    clock,
    reached: () => reached,
    onWait: waits('unreachable'),
    ...optional('limits', options.retryLimits),
  };
  const plain = retry(patience)(paced);
  const tokens = credentials.open({ url, send: toSend(plain), clock, ...optional('signal', options.signal) });
  const authorized = retry({ ...patience, check: refuseNonsense })(authorize(tokens)(paced));
  const toRequest = createRequests(url, options.signal);

  const begin = <Value>(call: Call<Value>, waiter: CallWaiter<Value>): void => {
    const request = toRequest(call);
    (call.anonymous === true ? plain : authorized)(request, {
      answered: (answer) => waiter.ended(judgeEnd(request, call, answer)),
      failed(error) {
        if (error instanceof NetworkFailure) waiter.ended(judgeEnd(request, call, error));
        else waiter.failed(isStop(request, error) ? new InterruptedError() : error);
      },
    });
  };
  const attempt = <Value>(call: Call<Value>): Promise<Attempt<Value>> =>
    new Promise((ended, failed) => begin(call, { ended, failed }));

  return {
    url,
    begin,
    attempt,
    async call(call) {
      const end = await attempt(call);
      if (!end.ok) throw end.error;
      return end.value;
    },
    token: async () => tokens.get(),
    get sent() {
      return line.sent;
    },
    serverNow: () =>
      serviceStart === undefined ? clock.now() : Math.floor(serviceStart + clock.monotonic()),
    close: () => connection.close(),
  };
}

function judgeEnd<Value>(
  request: ApiRequest,
  call: Call<Value>,
  end: ApiAnswer | NetworkFailure,
): Attempt<Value> {
  return end instanceof NetworkFailure || end.status < 200 || end.status > 299
    ? { ok: false, error: new ApiError(request, end, call) }
    : parseAnswer(request, call, end);
}

/** The run was stopped while the call waited. */
function isStop({ signal }: ApiRequest, error: unknown): boolean {
  return signal?.aborted === true && error === signal.reason && !(error instanceof IdportError);
}

function parseAnswer<Value>(request: ApiRequest, call: Call<Value>, answer: ApiAnswer): Attempt<Value> {
  if (call.receive !== undefined) return { ok: true, value: undefined as Value };
  const value = answer.value ?? parseJson(answer.text);
  try {
    return { ok: true, value: call.answer === undefined ? (value as Value) : call.answer.parse(value) };
  } catch {
    return { ok: false, error: new ApiError(request, nonsense(answer), call) };
  }
}

/** A 2xx that is no JSON comes from a captive portal or a proxy: whether the call was done cannot be known. */
function refuseNonsense(request: ApiRequest, answer: ApiAnswer): ApiAnswer {
  if (answer.status < 200 || answer.status > 299 || request.receive !== undefined) return answer;
  answer.value = parseJson(answer.text);
  return answer.value === undefined ? nonsense(answer) : answer;
}

function nonsense(answer: ApiAnswer): ApiAnswer {
  const text = `an answer with status ${answer.status} that is not the service's`;
  return { ...answer, status: 502, text };
}

/** An empty answer is an empty object. */
function parseJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, Value>);
}
