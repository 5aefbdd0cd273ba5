/** A call in, the request that it makes out. */
import type { Call } from './client.ts';
import type { ApiRequest } from './send.ts';

const defaultTimeout = 30_000;

type Headers = ApiRequest['headers'];

/** Calls with a body, and calls of one organization, share theirs: a run has few of them and many calls. */
function createHeaders(): (hasBody: boolean, org: string | undefined) => Headers {
  const known = {
    bare: new Map<string | undefined, Headers>(),
    body: new Map<string | undefined, Headers>(),
  };
  return (hasBody, org) => {
    const sort = hasBody ? known.body : known.bare;
    const before = sort.get(org);
    if (before !== undefined) return before;
    const headers = {
      accept: 'application/json',
      'user-agent': 'idport',
      ...(hasBody && { 'content-type': 'application/json' }),
      ...(org !== undefined && { 'x-zitadel-orgid': org }),
    };
    sort.set(org, headers);
    return headers;
  };
}

/** For the calls of one run to the service at `base`. */
export function createRequests(base: string, signal: AbortSignal | undefined): (call: Call) => ApiRequest {
  const headersFor = createHeaders();
  let last = { path: '', url: base };
  const urlOf = ({ path, query }: Call): string => {
    if (query !== undefined) return `${base}${path}?${new URLSearchParams(query).toString()}`;
    // Most calls of a run go where the one before went.
    if (path !== last.path) last = { path, url: `${base}${path}` };
    return last.url;
  };
  return (call) => ({
    method: call.method,
    url: urlOf(call),
    headers: headersFor(call.body !== undefined, call.org),
    body: call.body === undefined ? undefined : toText(call.body),
    timeout: call.timeout ?? defaultTimeout,
    repeat: call.repeat ?? (call.method === 'POST' || call.method === 'PATCH' ? 'unsafe' : 'safe'),
    signal: joinSignals(signal, call.signal),
    receive: call.receive,
    leaving: call.leaving,
  });
}

function joinSignals(first?: AbortSignal, second?: AbortSignal): AbortSignal | undefined {
  return first === undefined || second === undefined ? (first ?? second) : AbortSignal.any([first, second]);
}

function toText(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
