/** A request in, the service's answer out, once: no repeating, no waiting, no judging. */
import { request as undiciRequest, type Dispatcher } from 'undici';
import { exchange, plainHeaders } from './exchange.ts';
import type { Lanes } from './lanes.ts';
import { explain, NetworkFailure, failureOf } from './network.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * May this call be made again when its answer was lost? `safe` calls change nothing or give the same end when
 * repeated; an `unsafe` one could create something twice, so a lost answer is an outcome of its own (`unknown`).
 */
export type Repeat = 'safe' | 'unsafe';

export interface ApiRequest {
  readonly method: Method;
  /** Absolute. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** How long the answer may take to begin, and then each piece of it to come, in milliseconds. */
  readonly timeout: number;
  readonly repeat: Repeat;
  /** Ends waiting for a turn or a repeat. A safe call is abandoned under way as well, an unsafe one never. */
  readonly signal?: AbortSignal | undefined;
  /** Takes the body of a 2xx answer while it comes in; `text` is then empty. Called anew for each attempt. */
  readonly receive?: ((body: AsyncIterable<Uint8Array>) => Promise<void>) | undefined;
  /** Called each time right before the request leaves; where it throws, the request stays and fails with that. */
  readonly leaving?: (() => void) | undefined;
}

export interface ApiAnswer {
  readonly status: number;
  /** Names in lower case. Of a 2xx answer maybe none but the date. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** What the text says as JSON, filled in by who reads it first. */
  value?: unknown;
}

/** Waits for the end of one request: one of the two is called, once, and must not throw. */
export interface Waiter {
  /** With any status. */
  answered(answer: ApiAnswer): void;
  /** A `NetworkFailure` where there was no whole answer, else what ended the call before it was sent. */
  failed(error: unknown): void;
}

/** Never throws. It calls back, because a promise for each of its layers was a tenth of what a request costs. */
export type Dispatch = (request: ApiRequest, waiter: Waiter) => void;

/** The same for those who are in no hurry: resolves with any status, rejects with what `failed` is told. */
export type Send = (request: ApiRequest) => Promise<ApiAnswer>;

export function toSend(dispatch: Dispatch): Send {
  return (request) => new Promise((answered, failed) => dispatch(request, { answered, failed }));
}

export function toDispatch(send: Send): Dispatch {
  return (request, waiter) => {
    const sent = new Promise<ApiAnswer>((resolve) => {
      request.leaving?.();
      resolve(send(request));
    });
    sent.then(
      (answer) => waiter.answered(answer),
      (error: unknown) => waiter.failed(error),
    );
  };
}

/** What is for the origin of `lanes`, and is no stream, goes that way. */
export function createDispatch(dispatcher: Dispatcher, lanes?: Lanes): Dispatch {
  return (request, waiter) => {
    const signal = request.repeat === 'safe' ? request.signal : undefined;
    if (request.receive === undefined) {
      exchange(dispatcher, lanes, request, signal, waiter);
      return;
    }
    handOn(dispatcher, request, request.receive, signal).then(
      (answer) => waiter.answered(answer),
      (error: unknown) => waiter.failed(explain(error, signal)),
    );
  };
}

/** An answer other than 2xx is not what the receiver waits for: it comes back as text. */
async function handOn(
  dispatcher: Dispatcher,
  request: ApiRequest,
  receive: NonNullable<ApiRequest['receive']>,
  signal: AbortSignal | undefined,
): Promise<ApiAnswer> {
  const response = await undiciRequest(request.url, {
    dispatcher,
    method: request.method,
    headers: request.headers,
    ...(request.body === undefined ? {} : { body: request.body }),
    headersTimeout: request.timeout,
    bodyTimeout: request.timeout,
    signal: signal ?? null,
  });
  const answer = { status: response.statusCode, headers: plainHeaders(response.headers) };
  if (answer.status < 200 || answer.status > 299) return { ...answer, text: await response.body.text() };
  await receive(markFailures(response.body));
  return { ...answer, text: '' };
}

/** What goes wrong while the body comes in is the network's fault; what a receiver throws is its own. */
async function* markFailures(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const blocks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await blocks.next().catch((error: unknown) => {
        throw failureOf(error) ?? new NetworkFailure('answer', 'UNKNOWN', 'the answer broke off', error);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await blocks.return?.();
  }
}
