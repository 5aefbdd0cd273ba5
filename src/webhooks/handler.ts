/** Webhook handlers that accept only calls with a valid signature, for node:http, Fetch and any other framework. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { signatureHeader } from '../wire/signature.ts';
import { limitBody, readFetchBody, readNodeBody, type BodyProblem, bodyProblems } from './body.ts';
import { readCall, type WebhookCall } from './call.ts';
import { createReplayGuard, replayProblems } from './replays.ts';
import { lacksKey, refuse, verifySignature, type Refused, type Verified, refusals } from './verify.ts';

/** Why a call was refused. */
export const webhookProblems = {
  ...refusals,
  ...replayProblems,
  ...bodyProblems,
  'wrong-method': 'The request is not a POST.',
} as const;
export type WebhookProblem = keyof typeof webhookProblems;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const wrongMethod: Refused<WebhookProblem> = refuse(
  'wrong-method',
  'this is a webhook receiver: it takes POST only',
);

/** Statuses of refusals that are not 500. 500 is the status of the service's example receiver. */
const statusOf: Partial<Record<WebhookProblem, number>> = { 'too-large': 413, 'wrong-method': 405 };

export function answerRefusal({ reason, message }: Refused<WebhookProblem>): Answer {
  const answer = answerJson(statusOf[reason] ?? 500, { reason, message });
  if (reason !== 'wrong-method') return answer;
  return { ...answer, headers: { ...answer.headers, allow: 'POST' } };
}

export function answerJson(status: number, value: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

export interface VerifiedCall extends WebhookCall, Omit<Verified, 'ok'> {}

export interface WebhookOptions {
  /**
   * Signing key of the target, several while a key is being rotated, or a function that fetches them for each call, so that a new
   * key needs no restart.
   */
  readonly key: string | readonly string[] | (() => Keys | Promise<Keys>);
  /**
   * Called with each verified call. Its result is sent back as JSON, which replaces the request or response for targets of the
   * kind `restCall`. Without a result, the response is an empty 200. `InterruptCall` stops the triggering call.
   */
  readonly onCall?: ((call: VerifiedCall) => unknown) | undefined;
  /** Called with each refusal, for a log. */
  readonly onRefused?: ((refused: Refused<WebhookProblem>) => unknown) | undefined;
  /** Called with an error that `onCall` threw. The sender gets a plain 500. */
  readonly onError?: ((error: unknown) => unknown) | undefined;
  /** False skips the examination of why a signature does not match, which takes milliseconds for a large body. */
  readonly explains?: boolean | undefined;
  /** Largest body in bytes. The default is 4 MiB, the largest request that the service accepts. */
  readonly maxBytes?: number | undefined;
  /** Seconds that a call may be old or ahead; 300 by default. */
  readonly tolerance?: number | undefined;
  /**
   * True refuses replays, which are calls that were accepted before. Two calls with the same body in the same second look like a
   * replay. Only this handler remembers the calls, until the process ends.
   */
  readonly refuseReplays?: boolean | undefined;
  /** Returns the current time in milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

type Keys = string | readonly string[];

type HeaderBag = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A call in a form that any framework can provide. */
export interface IncomingCall {
  readonly method?: string | undefined;
  readonly headers: HeaderBag;
  /** Raw bytes as they were received. */
  readonly body: Uint8Array | string;
}

export interface Webhook {
  /** For `http.createServer`, Express, and others that use Node's request and response. */
  readonly node: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** For Hono and others that use Request and Response. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** For all others: takes the raw call and returns the response. */
  readonly receive: (call: IncomingCall) => Promise<Answer>;
}

/** Thrown by `onCall`, makes the triggering call fail with this status and text, if the target interrupts on error. */
export class InterruptCall extends Error {
  override readonly name = 'InterruptCall';
  readonly status: 400 | 401 | 403 | 404 | 409 | 429;

  constructor(status: InterruptCall['status'], message: string) {
    super(message);
    this.status = status;
  }
}

export const defaultMaxBytes = 4 * 1024 * 1024;

/** Throws for an empty key, such as that of a missing variable. */
export function webhookHandler(options: WebhookOptions): Webhook {
  refuseEmpty(options);
  const maxBytes = options.maxBytes ?? defaultMaxBytes;
  const replays = options.refuseReplays ? createReplayGuard() : undefined;

  const refuse = (refused: Refused<WebhookProblem>) => {
    tell(() => options.onRefused?.(refused), report);
    return answerRefusal(refused);
  };

  const report = (error: unknown) => tell(() => options.onError?.(error));

  const fetchKeys = async () => {
    try {
      return typeof options.key === 'function' ? await options.key() : options.key;
    } catch (error) {
      report(error);
      return [];
    }
  };

  /** Passes a call to `onCall`. A call that failed here may be sent again; one that was interrupted is done. */
  const call = async (verified: Verified, body: Uint8Array) => {
    const { ok: _, ...facts } = verified;
    try {
      return await options.onCall?.({ ...readCall(body), ...facts });
    } catch (error) {
      if (!(error instanceof InterruptCall)) replays?.forget(verified);
      throw error;
    }
  };

  const handle = async (headers: HeaderBag, body: Uint8Array) => {
    const verdict = verifySignature({
      ...options,
      body,
      header: findHeader(headers),
      key: await fetchKeys(),
      now: options.now?.(),
    });
    if (!verdict.ok) return refuse(verdict);
    const replayed = replays?.admit(verdict);
    if (replayed !== undefined) return refuse(replayed);
    const reply = await call(verdict, body);
    return reply === undefined ? { status: 200, headers: {}, body: '' } : answerJson(200, reply);
  };

  /** Keeps everything that a callback throws away from the framework and the sender. */
  const answerTo = async (
    method: string | undefined,
    headers: HeaderBag,
    read: () => Promise<Uint8Array | Refused<BodyProblem>>,
  ) => {
    try {
      if (method !== undefined && method !== 'POST') return refuse(wrongMethod);
      const body = await read();
      return ArrayBuffer.isView(body) ? await handle(headers, body) : refuse(body);
    } catch (error) {
      // The service turns this response into an error of the triggering call.
      if (error instanceof InterruptCall)
        return answerJson(200, { forwardedStatusCode: error.status, forwardedErrorMessage: error.message });
      report(error);
      return answerJson(500, { reason: 'handler-failed', message: 'the receiver failed' });
    }
  };

  return {
    receive: ({ method, headers, body }) => answerTo(method, headers, async () => limitBody(body, maxBytes)),
    node: async (request, response) => {
      const { method, headersDistinct } = request;
      const answer = await answerTo(method, headersDistinct, () => readNodeBody(request, maxBytes));
      if (!response.destroyed) response.writeHead(answer.status, answer.headers).end(answer.body);
    },
    fetch: async (request) => {
      const { method, headers } = request;
      const answer = await answerTo(method, headers, () => readFetchBody(request, maxBytes));
      return new Response(answer.body, { status: answer.status, headers: answer.headers });
    },
  };
}

/** Calls `log` without waiting. A log that fails, at once or later, changes no answer and ends no process. */
function tell(log: () => unknown, onFailure: (error: unknown) => void = () => undefined) {
  void (async () => log())().catch(onFailure);
}

function refuseEmpty({ key }: WebhookOptions) {
  if (typeof key !== 'function' && lacksKey([key].flat()))
    throw new TypeError('webhookHandler: the signing key is empty. Pass the key of the target.');
}

function findHeader(headers: HeaderBag) {
  if (headers instanceof Headers) return headers.get(signatureHeader);
  const name = Object.keys(headers).find((name) => name.toLowerCase() === signatureHeader.toLowerCase());
  return name === undefined ? undefined : headers[name];
}
