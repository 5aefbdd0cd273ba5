/** The checks before every request: rate and ban, length of the body, injected faults; and the log of requests. */
import type { Context, Hono, Next } from 'hono';
import type { Clock } from '../../lib/clock.ts';
import { excerpt, type Recent } from '../recent.ts';
import { addressOf, cutConnection, cutInTheMiddle, isBodyTooLong } from './connection.ts';
import type { Fault, Faults } from './faults.ts';
import type { RateLimiter } from './rate.ts';

export interface LoggedRequest {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** 0 for a connection that was cut. */
  readonly status: number;
  readonly ms: number;
  readonly address: string;
  /** What the server did to the request on purpose: `rate`, `ban`, `too-long`, `fault <id>`. */
  readonly note: string | undefined;
}

interface Gate {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly requests: Recent<LoggedRequest>;
  /** Undefined for no limit. */
  readonly rate: RateLimiter | undefined;
  /** Whether a 429 has a Retry-After; the hosted service sends none. */
  readonly retryAfter: boolean;
  /** Largest request body, in bytes. */
  readonly maxBody: number;
}

/** The control interface: not rate-limited, no faults, not logged. */
export const controlPrefix = '/_idport/';

/** The address of requests that come without a socket. */
const inProcess = 'in-process';

const quotaCookie = 'zitadel.quota.exhausted';

export function mountGate(app: Hono, gate: Gate): void {
  app.use('*', async (context, next) => {
    const { path, method } = context.req;
    if (path.startsWith(controlPrefix)) return next();
    const at = gate.clock.now();
    const started = gate.clock.monotonic();
    const { note, cut = false } = await pass(gate, context, next, at);
    if (context.res.status === 429) {
      context.res.headers.append('set-cookie', `${quotaCookie}=true; Path=/; Max-Age=300`);
    } else if (context.req.header('cookie')?.includes(quotaCookie) === true && context.res.ok) {
      context.res.headers.append('set-cookie', `${quotaCookie}=; Path=/; Max-Age=0`);
    }
    gate.requests.add({
      id: gate.requests.total + 1,
      at,
      method,
      path: excerpt(path),
      status: cut ? 0 : context.res.status,
      ms: Math.round((gate.clock.monotonic() - started) * 100) / 100,
      address: addressOf(context) ?? inProcess,
      note,
    });
  });
}

interface Passed {
  readonly note?: string;
  readonly cut?: boolean;
}

async function pass(gate: Gate, context: Context, next: Next, now: number): Promise<Passed> {
  const verdict = gate.rate?.take(addressOf(context) ?? inProcess, now);
  if (verdict !== undefined) {
    const headers = gate.retryAfter ? { 'retry-after': String(verdict.retryAfter) } : {};
    context.res = plain(429, 'Too Many Requests', headers);
    return { note: verdict.banned ? 'ban' : 'rate' };
  }
  const fault = gate.faults.next(context.req.method, context.req.path);
  if (fault?.delay !== undefined) await gate.clock.sleep(fault.delay);
  const cut = fault?.reset === true || fault?.half === true;
  const passed: Passed = fault === undefined ? {} : { note: `fault ${fault.id}`, cut };
  const ends = cut || fault?.status !== undefined;
  if (ends && fault?.when === 'before' && fault.half === undefined) {
    await injectFault(context, fault);
    return passed;
  }
  if (await isBodyTooLong(context, gate.maxBody)) {
    context.res = plain(413, 'Request Entity Too Large', { connection: 'close' });
    return { note: 'too-long' };
  }
  await next();
  if (fault !== undefined && ends) await injectFault(context, fault);
  return passed;
}

async function injectFault(context: Context, fault: Fault): Promise<void> {
  const real = context.res;
  // Headers set on the context would be merged into the new answer, so the old answer is dropped first.
  context.res = undefined;
  if (fault.reset === true) context.res = cutConnection(context);
  else if (fault.half === true) context.res = await cutInTheMiddle(context, real);
  else context.res = answerOf(fault);
}

function answerOf(fault: Fault): Response {
  const isText = fault.body === undefined || typeof fault.body === 'string';
  const body = isText ? ((fault.body as string | undefined) ?? '') : JSON.stringify(fault.body);
  return new Response(body, {
    status: fault.status ?? 500,
    headers: { 'content-type': isText ? 'text/plain' : 'application/json', ...fault.headers },
  });
}

/** The hosted service's proxy does not answer in the service's JSON. */
function plain(status: number, text: string, headers: Record<string, string>): Response {
  return new Response(`${text}\n`, { status, headers: { 'content-type': 'text/plain', ...headers } });
}
