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
  /** Content of the call, even if it is refused and cannot be trusted. */
  readonly content: WebhookCall;
  /** Status of our response. */
  readonly status: number;
  /** Why the address that the call was forwarded to did not respond. */
  readonly forwardProblem?: string;
  readonly recordedAs?: string;
  readonly recordProblem?: string;
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
  const read = request.method === 'POST' ? await readNodeBody(request, defaultMaxBytes) : wrongMethod;
  const body = read instanceof Uint8Array ? read : new Uint8Array();
  const verdict = read instanceof Uint8Array ? await verifyCall(options, request, body, receivedAt) : read;
  const { method = 'POST', url: path = '/', rawHeaders: raw } = request;
  const headers = raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ''] as const] : []));
  const saved = { method, path, headers, body, receivedAt };
  // The address may be public, so only verified calls are written to disk.
  const { answer, ...outcome } =
    verdict !== 'unchecked' && !verdict.ok
      ? { answer: answerRefusal(verdict) }
      : { ...(await keep(options, saved, number)), ...(await respond(options, saved)) };
  // A call that failed here may be sent again.
  if (verdict !== 'unchecked' && verdict.ok && answer.status >= 500) options.replays.forget(verdict);
  if (!response.destroyed) response.writeHead(answer.status, answer.headers).end(answer.body);
  const content = readCall(body);
  options.onCall({ number, receivedAt, path, verdict, content, status: answer.status, ...outcome });
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

async function respond({ forward, signal }: ListenOptions, call: SavedRequest) {
  if (forward === undefined) return { answer: { status: 200, headers: {}, body: '' } };
  try {
    const { status, contentType, body } = await forward.send(call, signal);
    const headers = contentType === undefined ? {} : { 'content-type': contentType };
    return { answer: { status, headers, body } };
  } catch (error) {
    const forwardProblem = messageOf(error);
    return { answer: answerJson(502, { reason: 'forward-failed', message: forwardProblem }), forwardProblem };
  }
}

async function keep({ record }: ListenOptions, call: SavedRequest, number: number) {
  try {
    return record === undefined ? {} : { recordedAs: await record(call, number) };
  } catch (error) {
    return { recordProblem: messageOf(error) };
  }
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
