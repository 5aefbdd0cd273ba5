/** Checks every request before it is handled (rate and ban, length of the body, injected faults), and logs it. */
import type { Context, Hono, Next } from 'hono';
import type { Core } from '../core.ts';
import { excerpt } from '../recent.ts';
import { addressOf, cutConnection, cutInTheMiddle, isBodyTooLong } from './connection.ts';
import type { Fault } from './faults.ts';

/** Path of the control interface, which has no rate limit and no faults, and is not logged. */
export const controlPrefix = '/_idport/';

/** Address shown for requests that come without a socket. */
const inProcess = 'in-process';

const quotaCookie = 'zitadel.quota.exhausted';

/** Largest request body in bytes. The service has no limit for version 2. This one protects the machine's memory. */
const defaultMaxBody = 64 * 1024 * 1024;

export function mountGate(app: Hono, core: Core) {
  const { clock, state } = core;
  app.use('*', async (context, next) => {
    const { path, method } = context.req;
    if (path.startsWith(controlPrefix)) return next();
    const at = clock.now();
    const started = clock.monotonic();
    const { note, cut = false } = await pass(core, context, next, at);
    if (context.res.status === 429) {
      context.res.headers.append('set-cookie', `${quotaCookie}=true; Path=/; Max-Age=300`);
    } else if (context.req.header('cookie')?.includes(quotaCookie) && context.res.ok) {
      context.res.headers.append('set-cookie', `${quotaCookie}=; Path=/; Max-Age=0`);
    }
    state.recent.requests.add({
      id: state.recent.requests.total + 1,
      /** Milliseconds since 1970. */
      at,
      method,
      path: excerpt(path),
      /** 0 if the connection was cut. */
      status: cut ? 0 : context.res.status,
      ms: Math.round((clock.monotonic() - started) * 100) / 100,
      address: addressOf(context) ?? inProcess,
      /** What the server did on purpose: `rate`, `ban`, `too-long` or `fault <id>`. */
      note,
    });
  });
}

async function pass(
  { options, clock, rate, faults }: Core,
  context: Context,
  next: Next,
  now: number,
): Promise<{ note?: string; cut?: boolean }> {
  const verdict = rate?.take(addressOf(context) ?? inProcess, now);
  if (verdict !== undefined) {
    const headers = options.retryAfter ? { 'retry-after': String(verdict.retryAfter) } : {};
    context.res = answerOf({ status: 429, body: 'Too Many Requests\n', headers });
    return { note: verdict.banned ? 'ban' : 'rate' };
  }
  const fault = faults.next(context.req.method, context.req.path);
  if (fault?.delay !== undefined) await clock.sleep(fault.delay);
  const cut = fault?.reset === true || fault?.half === true;
  const passed = fault === undefined ? {} : { note: `fault ${fault.id}`, cut };
  const ends = cut || fault?.status !== undefined;
  if (ends && fault?.when === 'before' && fault.half === undefined) {
    await injectFault(context, fault);
    return passed;
  }
  if (await isBodyTooLong(context, options.maxBody ?? defaultMaxBody)) {
    context.res = answerOf({
      status: 413,
      body: 'Request Entity Too Large\n',
      headers: { connection: 'close' },
    });
    return { note: 'too-long' };
  }
  await next();
  if (fault !== undefined && ends) await injectFault(context, fault);
  return passed;
}

async function injectFault(context: Context, fault: Fault) {
  const real = context.res;
  // Headers set on the context would be merged into the new answer, so the old one is dropped first.
  context.res = undefined;
  if (fault.reset) context.res = cutConnection(context);
  else if (fault.half) context.res = await cutInTheMiddle(context, real);
  else context.res = answerOf(fault);
}

/** A text is sent as plain text, as the hosted service's proxy sends its refusals. */
function answerOf({ status = 500, body = '', headers }: Pick<Fault, 'status' | 'body' | 'headers'>) {
  const [type, text] =
    typeof body === 'string' ? ['text/plain', body] : ['application/json', JSON.stringify(body)];
  return new Response(text, { status, headers: { 'content-type': type, ...headers } });
}
