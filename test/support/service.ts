/** A reference server in this process as a client sees it: each exchange can be spoiled, and is written down. */
import { createClient, type ClientOptions } from '../../src/api/client.ts';
import { fixedToken } from '../../src/api/credentials.ts';
import { NetworkFailure, type ApiResponse, type ApiRequest, type Send } from '../../src/api/send.ts';
import type { IdportEvent, RunContext } from '../../src/events.ts';
import { createTestServer, type FullServer } from './full-server.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { join } from 'node:path';
import { importOrgs } from '../../src/flows/import/import.ts';
import type { ImportRequest } from '../../src/flows/import/run.ts';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { createRunOutputs } from '../../src/flows/report/run-outputs.ts';
import { entryTally, type Tally } from '../../src/records/tally.ts';
import { drive } from './clock.ts';
import { memoryInput } from './memory-input.ts';

/**
 * What can befall an exchange: `reset` before the service sees it, `lost` after it has done it, `half` when the answer
 * breaks off, another answer than the service's own, before which it does (`done`) or does not see the request, or the
 * service's with another text.
 */
export type Fault =
  | 'reset'
  | 'lost'
  | 'half'
  | { status: number; body?: unknown; done?: boolean }
  | ((text: string) => string);

export type Service = ReturnType<typeof createService>;

export interface ServiceOptions {
  readonly server?: FullServer;
  /** Asked for every request, with its number from 0. */
  readonly fault?: (request: ApiRequest, number: number) => Fault | undefined;
  readonly client?: Partial<ClientOptions>;
  readonly clock?: Clock;
  /** `Date` headers are ahead of the clock that stamps users by so much (ms); without it there are none. */
  readonly dateAhead?: number;
}

export function createService(options: ServiceOptions = {}) {
  const server = options.server ?? createTestServer();
  /** Method and path of every request that went out, spoiled ones included. */
  const requests: string[] = [];
  const events: IdportEvent[] = [];
  const exchange = exchangeWith(server, options);
  const send: Send = async (request) => {
    const number = requests.length;
    requests.push(`${request.method} ${request.url.slice('http://localhost'.length)}`);
    const fault = options.fault?.(request, number);
    return fault === undefined ? exchange(request) : spoil(fault, request, exchange);
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

/** Sends to the server, and lets `took` milliseconds pass: a service never stamps two writes with the same time. */
export const exchangeWith =
  (
    server: FullServer,
    { dateAhead, took = () => 1 }: Pick<ServiceOptions, 'dateAhead'> & { readonly took?: () => number } = {},
  ): Send =>
  async ({ url, method, headers, body, receive }) => {
    const answer = await server.app.request(url.slice('http://localhost'.length), {
      method,
      headers: { ...headers },
      ...(body !== undefined && { body }),
    });
    await server.settled();
    await server.clock.advance(took());
    const date = dateAhead === undefined ? {} : { date: timeOf(server, dateAhead) };
    const all = { ...Object.fromEntries(answer.headers), ...date };
    return received(receive, { status: answer.status, headers: all, text: await answer.text() });
  };

/** The first requests, or all, whose method and address have this in them meet the fault. */
export function faultAt(part: string, fault: Fault, times = Infinity): NonNullable<ServiceOptions['fault']> {
  let left = times;
  return ({ method, url }) => (`${method} ${url}`.includes(part) && left-- > 0 ? fault : undefined);
}

const timeOf = ({ clock }: FullServer, ahead: number) => new Date(clock.now() + ahead).toUTCString();

async function spoil(fault: Fault, request: ApiRequest, exchange: Send) {
  if (fault === 'reset')
    throw new NetworkFailure('response', 'ECONNRESET', 'the connection was reset', undefined);
  const isDone = typeof fault !== 'object' || fault.done === true;
  const answer = isDone ? await exchange({ ...request, receive: undefined }) : undefined;
  if (typeof fault === 'function' && answer !== undefined)
    return received(request.receive, { ...answer, text: fault(answer.text) });
  if (typeof fault === 'object') {
    const { status, body = {} } = fault;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return received(request.receive, { status, headers: {}, text });
  }
  // All but its last character comes in.
  if (fault === 'half') await request.receive?.(inBlocks(answer!.text.slice(0, -1))).catch(() => undefined);
  throw new NetworkFailure('response', 'UND_ERR_SOCKET', 'the response broke off', undefined);
}

/** An answer as it comes to who takes it block by block. */
export async function received(receive: ApiRequest['receive'], answer: ApiResponse) {
  if (receive === undefined || answer.status > 299) return answer;
  await receive(inBlocks(answer.text));
  return { ...answer, text: '' };
}

async function* inBlocks(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1024) yield bytes.subarray(at, at + 1024);
}

export const journalName = 'importBody.json.journal';

export const importRequest = (
  { client }: Pick<Service, 'client'>,
  body: string,
  more: Pick<ImportRequest, 'journal'> & Partial<ImportRequest>,
): ImportRequest => ({
  input: memoryInput('importBody.json', body),
  client,
  timeout: undefined,
  mostSeconds: null,
  firstForm: false,
  onExisting: 'skip',
  wait: 600_000,
  createOrgs: [],
  renameOrgs: [],
  skip: [],
  ids: 'keep',
  emailAfter: 'leave',
  since: [],
  phone: 'keep',
  limits: { emails: Infinity, sms: Infinity },
  profile: builtInProfiles.get('all-verifiers')!,
  size: inRequestsOf(5000),
  log: createRunOutputs({ report: undefined, rejects: undefined }),
  ...more,
});

/** What a run gets that tells its events to this list. */
export const contextOf = (
  { events, clock }: { readonly events: IdportEvent[]; readonly clock: Clock },
  signal = new AbortController().signal,
): RunContext => ({ emit: (event) => void events.push(event), clock, signal });

/** The journal is put into `folder`. */
export async function runImport(
  service: Service,
  folder: string,
  body: string,
  overrides: Partial<ImportRequest> = {},
  onEvent: (event: IdportEvent) => void = () => {},
) {
  const { clock } = service.server;
  const journal = { path: join(folder, journalName), resume: false };
  const request = importRequest(service, body, { journal, ...overrides });
  const context = contextOf({ events: service.events, clock });
  const emit = (event: IdportEvent) => {
    context.emit(event);
    onEvent(event);
  };
  return drive(clock, importOrgs(request, { ...context, emit }));
}

/** Requests of at most so many entries. */
export const inRequestsOf = (most: number): ImportRequest['size'] => ({
  bytes: 4_190_000,
  jsonBytes: Infinity,
  most,
  seconds: 30,
});

/** Of the users, or the entries of another list. */
export function countsOf({ tally }: { readonly tally: Tally }, list?: string) {
  if (list !== undefined) return entryTally(tally, list);
  const { read, written, withNotes, rejected, skipped, reasons } = tally;
  const unchanged = reasons.get('user-skipped:unchanged');
  return { read, written: written + withNotes, rejected, skipped, unchanged };
}
