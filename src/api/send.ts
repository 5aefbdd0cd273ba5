/**
 * Sends one request over undici and reads its response: no retries, no waiting. Turns network errors of Node and undici into a
 * `NetworkFailure`, which says whether the request may have been sent.
 */
import { request as fetchResponse, type Dispatcher } from 'undici';
import { readAll } from '../lib/input.ts';

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
      throw signal?.aborted ? signal.reason : (failureOf(error) ?? error);
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
async function* markFailures(body: AsyncIterable<Uint8Array>) {
  const blocks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await blocks.next().catch((error: unknown) => {
        throw failureOf(error) ?? new NetworkFailure('response', 'UNKNOWN', 'the response broke off', error);
      });
      if (next.done) return;
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

/**
 * `connect`: nothing was sent. `trust`: the certificate or TLS failed, nothing was sent, and trying again does not
 * help. `response`: the request may have arrived, and may have been carried out.
 */
export type Stage = 'connect' | 'trust' | 'response';

/** There was no complete response. The message contains no secret and can be shown. */
export class NetworkFailure extends Error {
  override readonly name = 'NetworkFailure';
  readonly stage: Stage;
  readonly code: string;

  constructor(stage: Stage, code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.stage = stage;
    this.code = code;
  }
}

/** Codes of Node, its TLS and undici, with a message and what may have happened to the request. */
const known: Readonly<Record<string, readonly [Stage, string]>> = {
  ECONNREFUSED: ['connect', 'nothing listens at this address'],
  ENOTFOUND: ['connect', 'the host name is not known'],
  EAI_AGAIN: ['connect', 'the name server does not respond'],
  EHOSTUNREACH: ['connect', 'the host cannot be reached'],
  ENETUNREACH: ['connect', 'the network cannot be reached'],
  EHOSTDOWN: ['connect', 'the host is down'],
  ENETDOWN: ['connect', 'the network is down'],
  EADDRNOTAVAIL: ['connect', 'this machine has no free port left'],
  EMFILE: ['connect', 'this process has too many files open'],
  UND_ERR_CONNECT_TIMEOUT: ['connect', 'no connection within 10 seconds'],
  UND_ERR_HEADERS_TIMEOUT: ['response', 'no response in time'],
  UND_ERR_BODY_TIMEOUT: ['response', 'the response stopped coming'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['response', 'the response broke off'],
  UND_ERR_SOCKET: ['response', 'the connection was closed before the response'],
  ECONNRESET: ['response', 'the connection was reset before the response'],
  EPIPE: ['response', 'the connection was closed before the response'],
  ETIMEDOUT: ['response', 'the connection timed out'],
  CERT_HAS_EXPIRED: ['trust', 'the certificate has expired'],
  CERT_NOT_YET_VALID: ['trust', 'the certificate is not valid yet'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['trust', 'the certificate is self-signed'],
  SELF_SIGNED_CERT_IN_CHAIN: ['trust', 'the certificate chain ends in a self-signed one'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['trust', 'the certificate is signed by an authority that is not trusted'],
  UNABLE_TO_GET_ISSUER_CERT: ['trust', 'the certificate is signed by an authority that is not trusted'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: [
    'trust',
    'the certificate is signed by an authority that is not trusted',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: ['trust', 'the certificate is for another host name'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['trust', 'this address does not speak TLS; is it http:// ?'],
  EPROTO: ['trust', 'this address does not speak TLS as expected'],
};

/** Errors of undici that have no code, by name or message. */
const withoutCode: Readonly<Record<string, string>> = {
  HTTPParserError: 'the response is not HTTP',
  terminated: 'the response broke off',
};

/** Returns undefined for an error that has nothing to do with the network. */
export function failureOf(error: unknown) {
  if (error instanceof NetworkFailure) return error;
  if (!(error instanceof Error)) return undefined;
  const { code, syscall } = originOf(error);
  if (code === undefined) {
    const text = withoutCode[error.name === 'HTTPParserError' ? error.name : error.message];
    return text === undefined ? undefined : new NetworkFailure('response', 'UNKNOWN', text, error);
  }
  const [stage, text] = known[code] ?? unlisted(code);
  if (syscall === 'connect' || error.message.includes('before secure TLS connection'))
    return new NetworkFailure('connect', code, text, error);
  if (stage === undefined) return undefined;
  // The network may also be lost after connecting. Then the request may have arrived.
  const isLater = stage === 'connect' && (syscall === 'read' || syscall === 'write');
  return new NetworkFailure(isLater ? 'response' : stage, code, text, error);
}

function unlisted(code: string): readonly [Stage | undefined, string] {
  if (/CERT|SSL|TLS/.test(code)) return ['trust', `TLS failed (${code})`];
  return [/^(UND_ERR|HPE)_/.test(code) ? 'response' : undefined, `the connection failed (${code})`];
}

/**
 * Returns the error that has a code. If a name has several addresses, Node throws an AggregateError, whose first error is the one
 * to report.
 */
function originOf(error: NodeJS.ErrnoException & { errors?: unknown[] }): NodeJS.ErrnoException {
  const isOfSeveral = error instanceof AggregateError;
  if (typeof error.code === 'string' && !isOfSeveral) return error;
  const first = isOfSeveral ? error.errors[0] : error.cause;
  return first instanceof Error ? originOf(first) : error;
}
