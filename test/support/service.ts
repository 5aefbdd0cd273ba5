/** A reference server in this process as a client sees it: each exchange can be spoiled, and is written down. */
import { createClient, type Client, type ClientOptions } from '../../src/api/client.ts';
import { fixedToken } from '../../src/api/credentials.ts';
import { NetworkFailure } from '../../src/api/network.ts';
import type { ApiResponse, ApiRequest, Send } from '../../src/api/send.ts';
import type { IdportEvent } from '../../src/events.ts';
import { createTestServer, type FullServer } from './full-server.ts';
import type { Clock } from '../../src/lib/clock.ts';

/**
 * What can befall an exchange: `reset` before the service sees it, `lost` after it has done it, `half` when the answer
 * breaks off, or another answer than the service's own, before which it does (`done`) or does not see the request.
 */
export type Fault = 'reset' | 'lost' | 'half' | { status: number; body?: unknown; done?: boolean };

export interface Service {
  readonly server: FullServer;
  readonly client: Client;
  readonly events: IdportEvent[];
  /** Method and path of every request that went out, spoiled ones included. */
  readonly requests: string[];
}

export interface ServiceOptions {
  readonly server?: FullServer;
  /** Asked for every request, with its number from 0. */
  readonly fault?: (request: ApiRequest, number: number) => Fault | undefined;
  readonly client?: Partial<ClientOptions>;
  readonly clock?: Clock;
  /** `Date` headers are ahead of the clock that stamps users by so much (ms); without it there are none. */
  readonly dateAhead?: number;
}

export function createService(options: ServiceOptions = {}): Service {
  const server = options.server ?? createTestServer();
  const requests: string[] = [];
  const events: IdportEvent[] = [];
  const exchange: Send = async (request) => {
    const path = request.url.slice('http://localhost'.length);
    const answer = await server.app.request(path, {
      method: request.method,
      headers: { ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    await server.settled();
    // A service never stamps two writes with the same time.
    await server.clock.advance(1);
    const text = await answer.text();
    const headers = Object.fromEntries(answer.headers);
    if (options.dateAhead !== undefined) {
      headers['date'] = new Date(server.clock.now() + options.dateAhead).toUTCString();
    }
    return { status: answer.status, headers, text };
  };
  const send: Send = async (request) => {
    const number = requests.length;
    requests.push(`${request.method} ${request.url.slice('http://localhost'.length)}`);
    const fault = options.fault?.(request, number);
    const answer = fault === undefined ? await exchange(request) : await spoil(fault, request, exchange);
    if (request.receive === undefined || answer.status > 299) return answer;
    await request.receive(inBlocks(answer.text));
    return { ...answer, text: '' };
  };
  const client = createClient({
    url: 'http://localhost',
    credentials: fixedToken(server.tokens.iamOwner),
    clock: options.clock ?? server.clock,
    emit: (event) => events.push(event),
    send,
    ...options.client,
  });
  return { server, client, events, requests };
}

async function spoil(fault: Fault, request: ApiRequest, exchange: Send): Promise<ApiResponse> {
  if (fault === 'reset')
    throw new NetworkFailure('response', 'ECONNRESET', 'the connection was reset', undefined);
  if (typeof fault === 'object' && fault.done !== true) return responseOf(fault);
  await exchange(request);
  if (typeof fault === 'object') return responseOf(fault);
  throw new NetworkFailure('response', 'UND_ERR_SOCKET', 'the response broke off', undefined);
}

function responseOf({ status, body }: { status: number; body?: unknown }): ApiResponse {
  return { status, headers: {}, text: typeof body === 'string' ? body : JSON.stringify(body ?? {}) };
}

async function* inBlocks(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 4096) yield bytes.subarray(at, at + 4096);
}
