/** Forwards a received call to another address, with its raw body and its headers. */
import { Agent, request } from 'undici';
import { failureOf } from '../../api/network.ts';
import type { SavedRequest } from '../../webhooks/saved-request.ts';

/** Headers that are not forwarded: they belong to one connection or are written anew. */
const ownHeaders = new Set(
  (
    'host connection keep-alive proxy-connection te trailer transfer-encoding upgrade expect content-length ' +
    'idport-received'
  ).split(' '),
);

/** Most bytes that the service reads of a response. */
const maxResponseBytes = 20 * 1024 * 1024;

export type Forwarder = ReturnType<typeof createForwarder>;

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
