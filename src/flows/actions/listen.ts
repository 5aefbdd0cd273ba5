/** Runs a webhook receiver for tests: each call is read raw, verified, recorded, forwarded and responded to. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { openReceiver } from '../../lib/http-server.ts';
import {
  answerJson,
  answerRefusal,
  defaultMaxBytes,
  wrongMethod,
  type WebhookProblem,
} from '../../webhooks/handler.ts';
import { readNodeBody } from '../../webhooks/body.ts';
import { readCall, type WebhookCall } from '../../webhooks/call.ts';
import type { ReplayGuard } from '../../webhooks/replays.ts';
import type { SavedRequest } from '../../webhooks/saved-request.ts';
import { verifySignature, type Refused, type Verified } from '../../webhooks/verify.ts';
import { signatureHeader } from '../../wire/signature.ts';
import { messageOf } from '../../errors.ts';
import { Agent, request } from 'undici';
import { failureOf } from '../../api/send.ts';

interface ListenOptions {
  readonly host: string;
  /** 0 lets the system choose a free port. */
  readonly port: number;
  /** Returns the keys, for each call. Undefined if signatures are not checked. */
  readonly keys: (() => Promise<readonly string[]>) | undefined;
  readonly replays: ReplayGuard;
  /** Replaces our own response to verified calls. */
  readonly forward: Forwarder | undefined;
  /** Keeps a call. Returns the name under which it can be found. */
  readonly record: ((call: SavedRequest, number: number) => Promise<string>) | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onCall: (call: ReceivedCall) => void;
}

export interface ReceivedCall {
  /** Number of the call, from 1 in the order of arrival. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly path: string;
  readonly verdict: Verified | Refused<WebhookProblem> | 'unchecked';
  /** Content of the call, even if it is refused and cannot be trusted. Undefined without a body. */
  readonly content: WebhookCall | undefined;
  /** Status of our response. */
  readonly status: number;
  /** Why the address that the call was forwarded to did not respond. */
  readonly forwardProblem: string | undefined;
  readonly recordedAs: string | undefined;
  readonly recordProblem: string | undefined;
}

/** How long to wait for calls after the signal, in milliseconds. */
const grace = 2000;

/** `stopped` resolves after the signal, once all received calls have a response. */
export async function listen(options: ListenOptions) {
  let number = 0;
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 15_000 }, (request, response) => {
    number += 1;
    void handleCall(options, request, response, number);
  });
  return openReceiver(server, options, grace);
}

async function handleCall(
  options: ListenOptions,
  request: IncomingMessage,
  response: ServerResponse,
  number: number,
) {
  const receivedAt = options.clock.now();
  const body = request.method === 'POST' ? await readNodeBody(request, defaultMaxBytes) : wrongMethod;
  const raw = body instanceof Uint8Array ? toSaved(request, body, receivedAt) : undefined;
  const verdict = body instanceof Uint8Array ? await verifyCall(options, request, body, receivedAt) : body;
  const refused = verdict !== 'unchecked' && !verdict.ok ? verdict : undefined;
  // The address may be public, so only verified calls are written to disk.
  const recorded = await keep(options, refused === undefined ? raw : undefined, number);
  const outcome =
    refused === undefined && raw !== undefined
      ? await respondToVerified(options, raw)
      : { answer: answerRefusal(refused ?? wrongMethod) };
  // A call that failed here may be sent again.
  if (verdict !== 'unchecked' && verdict.ok && outcome.answer.status >= 500) options.replays.forget(verdict);
  if (!response.destroyed) {
    const { status, headers, body: text } = outcome.answer;
    response.writeHead(status, headers).end(text);
  }
  options.onCall({
    number,
    receivedAt,
    path: request.url ?? '/',
    verdict,
    content: body instanceof Uint8Array ? readCall(body) : undefined,
    status: outcome.answer.status,
    forwardProblem: 'problem' in outcome ? outcome.problem : undefined,
    ...recorded,
  });
}

async function verifyCall(
  { keys, replays }: ListenOptions,
  request: IncomingMessage,
  body: Uint8Array,
  now: number,
): Promise<ReceivedCall['verdict']> {
  if (keys === undefined) return 'unchecked';
  try {
    const header = request.headersDistinct[signatureHeader.toLowerCase()];
    const verdict = verifySignature({ body, header, key: await keys(), now });
    return (verdict.ok ? replays.admit(verdict) : undefined) ?? verdict;
  } catch (error) {
    return { ok: false, reason: 'no-key', message: messageOf(error) };
  }
}

async function respondToVerified({ forward, signal }: ListenOptions, raw: SavedRequest) {
  if (forward === undefined) return { answer: { status: 200, headers: {}, body: '' } };
  try {
    const answer = await forward.send(raw, signal);
    const headers = answer.contentType === undefined ? {} : { 'content-type': answer.contentType };
    return { answer: { status: answer.status, headers, body: answer.body } };
  } catch (error) {
    const problem = messageOf(error);
    return { answer: answerJson(502, { reason: 'forward-failed', message: problem }), problem };
  }
}

async function keep({ record }: ListenOptions, raw: SavedRequest | undefined, number: number) {
  const nothing = { recordedAs: undefined, recordProblem: undefined };
  if (record === undefined || raw === undefined) return nothing;
  try {
    return { ...nothing, recordedAs: await record(raw, number) };
  } catch (error) {
    return { ...nothing, recordProblem: messageOf(error) };
  }
}

function toSaved(request: IncomingMessage, body: Uint8Array, receivedAt: number): SavedRequest {
  const headers: [string, string][] = [];
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    headers.push([request.rawHeaders[i] ?? '', request.rawHeaders[i + 1] ?? '']);
  }
  return { method: request.method ?? 'POST', path: request.url ?? '/', headers, body, receivedAt };
}

/** Headers that are not forwarded: they belong to one connection or are written anew. */
const ownHeaders = new Set(
  (
    'host connection keep-alive proxy-connection te trailer transfer-encoding upgrade expect content-length ' +
    'idport-received'
  ).split(' '),
);

/** Most bytes that the service reads of a response. */
const maxResponseBytes = 20 * 1024 * 1024;

type Forwarder = ReturnType<typeof createForwarder>;

/** `timeoutMs` is the longest wait for a response. */
export function createForwarder(to: URL, timeoutMs = 30_000) {
  const dispatcher = new Agent({ maxResponseSize: maxResponseBytes, connect: { timeout: timeoutMs } });
  return {
    close: () => dispatcher.destroy(),
    /** Throws an Error with one plain sentence if there is no response in time. */
    async send({ headers, body }: SavedRequest, signal?: AbortSignal) {
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const response = await request(to, {
          method: 'POST',
          headers: headers.filter(([name]) => !ownHeaders.has(name.toLowerCase())).flat(),
          body,
          dispatcher,
          signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        });
        const contentType = response.headers['content-type'];
        return {
          status: response.statusCode,
          contentType: typeof contentType === 'string' ? contentType : undefined,
          body: await response.body.bytes(),
        };
      } catch (cause) {
        throw new Error(explainFailure(cause, timeout.aborted, timeoutMs), { cause });
      }
    },
  };
}

function explainFailure(cause: unknown, timedOut: boolean, timeoutMs: number) {
  if (timedOut) return `no response within ${timeoutMs / 1000} s`;
  const failure = failureOf(cause);
  if (failure?.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return `the response is larger than ${maxResponseBytes} bytes`;
  }
  return failure?.message ?? 'the call was aborted';
}
