/** The receiver's HTTP server: calls of the service, health, readiness and metrics. */
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { ApiError } from '../../api/api-error.ts';
import { IdportError, UsageError } from '../../errors.ts';
import { openReceiver } from '../../lib/http-server.ts';
import { webhookHandler } from '../../webhooks/handler.ts';
import { inTime } from './breaker.ts';
import type { Metrics, Page } from './metrics.ts';
import { decide, type Decision, type ReceiverParts } from './receive.ts';
import { stopwatch } from '../../lib/clock.ts';

export interface ReceiverOptions extends ReceiverParts {
  readonly host: string;
  /** 0 lets the system choose a free port. */
  readonly port: number;
  /** Reads the PEM files. Called again every minute, because certificates are renewed. Undefined for plain HTTP. */
  readonly tls: (() => Certificate) | undefined;
  readonly keys: () => Promise<readonly string[]>;
  /** Milliseconds after which a call is answered in any case. Less than the target's timeout. */
  readonly answerWithin: number;
  /** Reloads the list if its file was replaced. Never throws. */
  readonly renewList: () => Promise<void>;
  /** Reports whether the service and the files can be used. */
  readonly isReady: () => Promise<boolean>;
  readonly metrics: Metrics;
  /** `late` means that the call was answered before the decision. */
  readonly onDecision: (decision: Settled & { readonly seconds: number; readonly late?: boolean }) => void;
  readonly onRefused: (reason: string) => void;
  /** Called if a renewed certificate is unusable. The previous one stays in use. */
  readonly onUnusable: () => void;
  readonly signal: AbortSignal;
}

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Most calls in progress. Further ones are answered at once, so that a stuck system cannot fill the memory. */
const mostOpen = 1000;
/** No login request is larger. */
const mostBodyBytes = 64 * 1024;
/** How often to check for a new certificate or list (ms). */
const renewEvery = 60_000;
/** How long a readiness result is reused (ms), so that callers cannot flood the service. */
const readyFor = 1000;

/** `stopped` resolves after the signal, when all earlier calls are answered and their passwords are written. */
export async function startReceiver(options: ReceiverOptions) {
  /** Calls that may still be writing a password to the service. */
  const open = new Set<Promise<unknown>>();
  const webhook = webhookHandler({
    key: options.keys,
    maxBytes: mostBodyBytes,
    explains: false,
    now: () => options.clock.now(),
    onRefused: ({ reason }) => {
      options.metrics.refused(reason);
      options.onRefused(reason);
    },
    async onCall(call) {
      // Returning something for another kind of call would replace part of its response.
      if (call.kind !== 'request') return undefined;
      await answerInTime(call.payload, options, open);
      return (call.payload as { request?: unknown }).request;
    },
  });
  const pages = createPages(options);
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const page = request.method === 'GET' ? pages[(request.url ?? '').split('?')[0] ?? ''] : undefined;
    if (page === undefined) return webhook.node(request, response);
    const { status, type, text } = await page();
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
  };
  const listener: RequestListener = (request, response) => void respond(request, response);
  const { tls, clock, signal, renewList } = options;
  const { server, renew } =
    tls === undefined
      ? { server: createPlainServer(limits, listener), renew: () => undefined }
      : openTls({ ...options, tls }, listener);
  const renewAll = async () => {
    for (;;) {
      await clock.sleep(renewEvery, signal, { background: true });
      renew();
      await renewList();
    }
  };
  // The loop ends with the receiver.
  renewAll().catch(() => undefined);
  const { url, stopped } = await openReceiver(server, options, options.answerWithin);
  return { url, stopped: stopped.then(() => allWritten(open, options)) };
}

/** Resolves when the call is decided or its time is up. */
async function answerInTime(payload: unknown, options: ReceiverOptions, open: Set<Promise<unknown>>) {
  const { clock, answerWithin, metrics, onDecision } = options;
  if (open.size >= mostOpen) {
    metrics.call('failed', 0);
    return;
  }
  const watch = stopwatch(clock);
  let isLate = false;
  const end = (settled: Settled) => {
    const seconds = watch();
    // A late call was already counted when its time was up.
    if (!isLate) metrics.call(settled.outcome, seconds);
    onDecision({ ...settled, seconds: Number(seconds.toFixed(3)), ...(isLate && { late: true }) });
  };
  const deciding = settle(payload, options).then(end);
  open.add(deciding);
  void deciding.finally(() => open.delete(deciding));
  await inTime(clock, answerWithin, deciding, () => new Error('it takes too long')).catch(() => {
    isLate = true;
    metrics.call('late', answerWithin / 1000);
  });
}

type Settled = Decision & { readonly problem?: string };

/** Never throws. Reports only the kind of an error, because libraries quote their input in messages. */
async function settle(payload: unknown, options: ReceiverOptions): Promise<Settled> {
  const tryOnce = () => decide({ payload }, options);
  try {
    return await tryOnce().catch(async (error: unknown) => {
      if (kindOf(error) !== 'input:changed') throw error;
      // The list file was overwritten.
      await options.renewList();
      return tryOnce();
    });
  } catch (error) {
    return { outcome: 'failed', userId: '', verifier: '', problem: kindOf(error) };
  }
}

/** Returns a code such as `api:refused COMMAND-JDk2s`. */
function kindOf(error: unknown) {
  if (error instanceof ApiError && /^[\w-]{1,40}$/.test(error.id ?? '')) return `${error.code} ${error.id}`;
  return error instanceof IdportError ? error.code : (error as Error).name;
}

function createPages(options: ReceiverOptions): Readonly<Record<string, () => Promise<Page>>> {
  const { isReady, metrics, clock } = options;
  let asked = { at: -Infinity, answer: Promise.resolve(false) };
  const ask = () => {
    const at = clock.monotonic();
    if (at - asked.at >= readyFor) asked = { at, answer: isReady().catch(() => false) };
    return asked.answer;
  };
  const text = (status: number, words: string): Page => ({ status, type: 'text/plain', text: `${words}\n` });
  return {
    '/healthz': async () => text(200, 'alive'),
    '/readyz': async () => ((await ask()) ? text(200, 'ready') : text(503, 'not ready')),
    '/metrics': () => metrics.page(),
  };
}

/** Short timeouts (ms), because the service sends its calls without delay. */
const limits = { requestTimeout: 5000, headersTimeout: 5000, connectionsCheckingInterval: 1000 };

function openTls(
  { tls, onUnusable }: ReceiverOptions & { tls: () => Certificate },
  listener: RequestListener,
) {
  let used = tls();
  const server = createWith(used, listener);
  const renew = () => {
    try {
      const found = tls();
      if (found.cert !== used.cert || found.key !== used.key) server.setSecureContext(found);
      used = found;
    } catch {
      // The files may be half written. The next check reads them again.
      onUnusable();
    }
  };
  return { server, renew };
}

function createWith(certificate: Certificate, listener: RequestListener) {
  try {
    return createTlsServer({ ...limits, ...certificate }, listener);
  } catch (cause) {
    throw new UsageError(
      'the TLS files are not a certificate with its key',
      'Both are PEM; the certificate comes first in its file, then those that have signed it.',
      cause,
    );
  }
}

/** Waits until passwords in progress are written, at most `answerWithin`. */
const allWritten = (open: ReadonlySet<Promise<unknown>>, { clock, answerWithin }: ReceiverOptions) =>
  inTime(clock, answerWithin, Promise.allSettled(open), () => new Error('it takes too long')).then(
    () => undefined,
    () => undefined,
  );
