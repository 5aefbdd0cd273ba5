/** Makes the one HTTP call of an execution to its target, within the service's limits and only to allowed hosts. */
import { Agent, request, type Dispatcher } from 'undici';
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPrivateAddress } from '../../lib/private-address.ts';

export interface TargetCall {
  readonly endpoint: string;
  readonly body: string;
  /** Value of the signature header. Empty if the target has no key. */
  readonly signature: string;
  /** In milliseconds. The service's client gives up after 30 s in any case. */
  readonly timeout: number;
}

export type TargetAnswer =
  | { readonly status: number; readonly body: string }
  /** `problem` says why there was no answer, in the service's wording. */
  | { readonly status: undefined; readonly problem: string };

/** Limits of the service for its outgoing calls: milliseconds, redirects, bytes of the answer. */
const longestCall = 30_000;
const maxRedirects = 5;
const maxAnswer = 20 * 1024 * 1024;

export type TargetCaller = ReturnType<typeof createTargetCaller>;

/**
 * Creates a caller. Unless `allowPrivate` is set, it refuses private and loopback addresses before the call, at each
 * redirect and when it connects.
 */
export function createTargetCaller(allowPrivate: boolean) {
  const agent = new Agent({
    connect: allowPrivate ? {} : { lookup: lookupAllowed },
    maxResponseSize: maxAnswer,
    headersTimeout: longestCall,
    bodyTimeout: longestCall,
  });
  return {
    async call(target: TargetCall): Promise<TargetAnswer> {
      const signal = AbortSignal.timeout(Math.ceil(Math.min(target.timeout, longestCall)));
      try {
        return await follow(target, agent, allowPrivate, signal);
      } catch (cause) {
        return { status: undefined, problem: `Post "${target.endpoint}": ${describe(cause, signal)}` };
      }
    },
    close: () => agent.destroy(),
  };
}

/** Follows redirects: 307 and 308 repeat the call, others turn it into a GET without a body. */
async function follow(
  { endpoint, body, signature }: TargetCall,
  agent: Agent,
  allowPrivate: boolean,
  signal: AbortSignal,
): Promise<TargetAnswer> {
  // The service's own user agent, because some receivers check it.
  const own = { 'user-agent': 'Go-http-client/1.1' };
  const signed = signature === '' ? {} : { 'zitadel-signature': signature };
  const post = { method: 'POST', headers: { ...own, 'content-type': 'application/json', ...signed }, body };
  let url = new URL(endpoint);
  let step: Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'> = post;
  for (let redirects = 0; ; redirects++) {
    if (!allowPrivate && (await isDeniedHost(url.hostname)))
      throw new Error(`host ${url.hostname} is denied`);
    const answer = await request(url, { dispatcher: agent, signal, ...step });
    const { location } = answer.headers;
    if (answer.statusCode < 300 || answer.statusCode > 399 || typeof location !== 'string') {
      return { status: answer.statusCode, body: await answer.body.text() };
    }
    await answer.body.dump();
    if (redirects === maxRedirects) throw new Error(`stopped after ${maxRedirects} redirects`);
    const next = new URL(location, url);
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw new Error('redirect from https to http is not allowed');
    }
    if (!/^https?:$/.test(next.protocol)) {
      throw new Error(`unsupported protocol scheme "${next.protocol.slice(0, -1)}"`);
    }
    url = next;
    if (answer.statusCode !== 307 && answer.statusCode !== 308) step = { method: 'GET', headers: own };
  }
}

function describe(cause: unknown, signal: AbortSignal) {
  if (signal.aborted) return 'context deadline exceeded';
  const error = cause as { code?: string; message?: string };
  return goTexts[error.code ?? ''] ?? error.message ?? String(cause);
}

const goTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  ECONNRESET: 'read: connection reset by peer',
  UND_ERR_SOCKET: 'EOF',
  ENOTFOUND: 'no such host',
};

/**
 * Reports whether calls to the host are refused. A name is judged by the addresses that `resolve` returns, and refused
 * if it cannot be resolved.
 */
export async function isDeniedHost(host: string, resolve: Resolve = resolveAll) {
  const name = host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (name.toLowerCase() === 'localhost') return true;
  if (isIP(name) !== 0) return isPrivateAddress(name);
  try {
    const addresses = await resolve(name);
    return addresses.length === 0 || addresses.some(isPrivateAddress);
  } catch {
    return true;
  }
}

export type Resolve = (host: string) => Promise<readonly string[]>;

const resolveAll = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address);

type LookupResult = (error: Error | null, addresses: LookupAddress[]) => void;

/** Lookup for `net.connect`, which tries all addresses: the system's own, except that a private address is an error. */
export function lookupAllowed(host: string, options: LookupOptions, done: LookupResult) {
  systemLookup(host, { ...options, all: true }, (error, addresses) => {
    const isDenied =
      error === null &&
      (addresses.length === 0 || addresses.some(({ address }) => isPrivateAddress(address)));
    done(isDenied ? new Error(`host ${host} is denied`) : error, addresses);
  });
}
