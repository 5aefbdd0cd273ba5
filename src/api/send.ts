/** A request in, the service's answer out, once: no repeating, no waiting, no judging. */
import { request as undiciRequest, type Dispatcher } from 'undici';
import { NetworkFailure, failureOf } from './network.ts';

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
}

export interface ApiAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Resolves with any status; rejects with a `NetworkFailure` where there was no whole answer. */
export type Send = (request: ApiRequest) => Promise<ApiAnswer>;

/** Longer answers than this are taken by `receive` or not at all; a JSON page of 1,000 users has about 1 MB. */
const longestText = 64 * 1024 * 1024;

export function createSend(dispatcher: Dispatcher): Send {
  return async (request) => {
    try {
      return await exchange(dispatcher, request);
    } catch (error) {
      if (request.signal?.aborted === true && request.repeat === 'safe') throw request.signal.reason;
      throw failureOf(error) ?? error;
    }
  };
}

async function exchange(dispatcher: Dispatcher, request: ApiRequest): Promise<ApiAnswer> {
  const response = await undiciRequest(request.url, {
    dispatcher,
    method: request.method,
    headers: request.headers,
    ...(request.body === undefined ? {} : { body: request.body }),
    headersTimeout: request.timeout,
    bodyTimeout: request.timeout,
    signal: request.repeat === 'safe' ? (request.signal ?? null) : null,
  });
  const answer = { status: response.statusCode, headers: plainHeaders(response.headers) };
  const body = markFailures(response.body);
  if (request.receive !== undefined && answer.status >= 200 && answer.status < 300) {
    await request.receive(body);
    return { ...answer, text: '' };
  }
  return { ...answer, text: await readText(body) };
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

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const blocks: Uint8Array[] = [];
  let size = 0;
  for await (const block of body) {
    size += block.length;
    if (size > longestText)
      throw new NetworkFailure('answer', 'TOO_LONG', 'the answer does not end', undefined);
    blocks.push(block);
  }
  return Buffer.concat(blocks).toString('utf8');
}

function plainHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) plain[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return plain;
}
