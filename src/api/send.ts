/** Sends one request over undici and reads its response: no retries, no waiting, no interpretation. */
import { request as fetchResponse, type Dispatcher } from 'undici';
import { readAll } from '../lib/input.ts';
import { failureOf, NetworkFailure } from './network.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Whether a call may be repeated after its response was lost. A `safe` call changes nothing or has the same effect when repeated.
 * An `unsafe` call could create something twice, so a lost response leaves its outcome unknown.
 */
export type Repeat = 'safe' | 'unsafe';

export interface ApiRequest {
  readonly method: Method;
  /** Absolute URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Milliseconds until the response must begin, and then until each further piece of it must arrive. */
  readonly timeout: number;
  readonly repeat: Repeat;
  /** Ends waiting for a slot or a retry. Abandons a safe request in flight, never an unsafe one. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the body of a 2xx response in pieces. `text` is then empty. Called again for each attempt. */
  readonly receive?: ((body: AsyncIterable<Uint8Array>) => Promise<void>) | undefined;
  /** Reads the JSON of a 2xx response. If it cannot, the response is not from the service. */
  readonly answer?: Answer<unknown> | undefined;
}

export interface ApiResponse {
  readonly status: number;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Whether the response is JSON that `answer` cannot read. */
  readonly isOtherForm?: boolean;
  /** JSON of a 2xx response, as `answer` reads it. */
  readonly value?: unknown;
}

/** Checks the JSON of a response and gives it its type: a message of `wire/`, or anything else with `parse`. */
export interface Answer<Value> {
  parse(value: unknown): Value;
}

/**
 * Resolves with a response of any status. Rejects with a `NetworkFailure` if there is no complete response, otherwise with what
 * ended the request before it was sent.
 */
export type Send = (request: ApiRequest) => Promise<ApiResponse>;

/** How a call has ended after all its attempts. */
export type End = ApiResponse | NetworkFailure;

/** Longest response in bytes without `receive`. A JSON page of 1,000 users has about 1 MB. */
const longestText = 64 * 1024 * 1024;

export function createSend(dispatcher: Dispatcher): Send {
  return async (request) => {
    const signal = request.repeat === 'safe' ? request.signal : undefined;
    try {
      return await exchange(dispatcher, request, signal);
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : (failureOf(error) ?? error);
    }
  };
}

async function exchange(
  dispatcher: Dispatcher,
  { url, method, headers, body, timeout, receive }: ApiRequest,
  signal: AbortSignal | undefined,
): Promise<ApiResponse> {
  const response = await fetchResponse(url, {
    dispatcher,
    method,
    headers,
    body: body ?? null,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    signal: signal ?? null,
  });
  const head = { status: response.statusCode, headers: joinLists(response.headers) };
  if (receive === undefined || !isSuccess(head)) return { ...head, text: await readText(response.body) };
  await receive(markFailures(response.body));
  return { ...head, text: '' };
}

export function isSuccess({ status }: Pick<ApiResponse, 'status'>) {
  return status >= 200 && status < 300;
}

async function readText(body: AsyncIterable<Uint8Array>) {
  const bytes = await readAll(body, longestText);
  if (bytes !== undefined) return bytes.toString();
  throw new NetworkFailure('response', 'TOO_LONG', 'the response does not end', undefined);
}

/** Turns errors while reading the body into network failures. Errors of a receiver are passed on. */
async function* markFailures(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const blocks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await blocks.next().catch((error: unknown) => {
        throw failureOf(error) ?? new NetworkFailure('response', 'UNKNOWN', 'the response broke off', error);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await blocks.return?.();
  }
}

function joinLists(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const joined = Object.entries(headers).map(([name, value = '']) => [name, [value].flat().join(', ')]);
  return Object.fromEntries(joined) as Record<string, string>;
}
