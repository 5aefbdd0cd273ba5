/** A request in, its answer as one text out, straight from undici's dispatcher: no stream, no promise a block. */
import { util, type Dispatcher } from 'undici';
import type { LaneHandler, Lanes } from './lanes.ts';
import { explain, NetworkFailure } from './network.ts';
import type { ApiRequest, Waiter } from './send.ts';
import { splitUrl } from './url.ts';

/** Longer answers than this are taken by `receive` or not at all; a JSON page of 1,000 users has about 1 MB. */
const longestText = 64 * 1024 * 1024;

/** `signal` abandons the request under way. */
export function exchange(
  dispatcher: Dispatcher,
  lanes: Lanes | undefined,
  request: ApiRequest,
  signal: AbortSignal | undefined,
  waiter: Waiter,
): void {
  const { url, method, headers, body, timeout, leaving } = request;
  const { origin, path } = splitUrl(url);
  const options: Dispatcher.DispatchOptions = {
    origin,
    path,
    method,
    headers,
    body: body ?? null,
    headersTimeout: timeout,
    bodyTimeout: timeout,
  };
  const handler = new Exchange(waiter, signal, leaving);
  if (lanes?.origin === origin) lanes.dispatch(options, handler);
  else dispatcher.dispatch(options, handler);
}

/**
 * By the older names of undici's calls: by the newer ones, all headers of all answers become texts and an object. That
 * is a twentieth of the time of a person.
 */
class Exchange implements LaneHandler {
  readonly #waiter: Waiter;
  readonly #signal: AbortSignal | undefined;
  readonly #leaving: (() => void) | undefined;
  #abort: ((reason?: Error) => void) | undefined;
  #stop: (() => void) | undefined;
  #status = 0;
  #headers: Record<string, string> = {};
  /** Nearly every answer is one block. */
  #block: Buffer | undefined;
  #more: Buffer[] | undefined;
  #size = 0;

  constructor(waiter: Waiter, signal: AbortSignal | undefined, leaving: (() => void) | undefined) {
    this.#waiter = waiter;
    this.#signal = signal;
    this.#leaving = leaving;
  }

  /** Right before the head of the request is written. */
  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort;
    this.#leaving?.();
    if (this.#signal === undefined) return;
    // A request that undici repeats by itself starts again.
    this.#end();
    this.#stop = () => abort(this.#signal?.reason as Error);
    if (this.#signal.aborted) this.#stop();
    else this.#signal.addEventListener('abort', this.#stop, { once: true });
  }

  /** Called again for the last of several heads: those of 1xx come before it. */
  onHeaders(status: number, headers: Buffer[]): boolean {
    this.#status = status;
    this.#headers =
      status >= 200 && status <= 299 ? dateOf(headers) : plainHeaders(util.parseHeaders(headers));
    return true;
  }

  onData(block: Buffer): boolean {
    this.#size += block.length;
    if (this.#block === undefined) this.#block = block;
    else (this.#more ??= []).push(block);
    if (this.#size > longestText) {
      this.#abort?.(new NetworkFailure('answer', 'TOO_LONG', 'the answer does not end', undefined));
    }
    return true;
  }

  onComplete(): void {
    this.#end();
    this.#waiter.answered({ status: this.#status, headers: this.#headers, text: this.#text() });
  }

  onError(error: Error): void {
    this.#end();
    const why = explain(error, this.#signal);
    // Whoever sends again from here would meet a connection that is being taken apart.
    queueMicrotask(() => this.#waiter.failed(why));
  }

  #text(): string {
    if (this.#block === undefined) return '';
    const bytes = this.#more === undefined ? this.#block : Buffer.concat([this.#block, ...this.#more]);
    return bytes.toString('utf8');
  }

  #end(): void {
    if (this.#stop !== undefined) this.#signal?.removeEventListener('abort', this.#stop);
  }
}

/** Names and values in turns. */
function dateOf(headers: readonly Buffer[]): Record<string, string> {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at]!;
    if (name.length === 4 && name.toString('latin1').toLowerCase() === 'date') {
      return { date: headers[at + 1]!.toString('latin1') };
    }
  }
  return {};
}

/** Names are in lower case already. */
export function plainHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  for (const name in headers) {
    if (typeof headers[name] !== 'string') return joinLists(headers);
  }
  return headers as Record<string, string>;
}

function joinLists(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
