/**
 * The HTTP app of all methods and routes. Every method runs in the order of the service: read the body, its size,
 * the host, blocked, token and permission, quota, request targets, field rules, handler, response targets.
 */
import { Hono, type Context } from 'hono';
import type { Result, Router } from 'hono/router';
import { TrieRouter } from 'hono/router/trie-router';
import { grpcCodes } from '../wire/errors.ts';
import { decode, DecodeError, encode } from '../wire/codec.ts';
import { violation } from '../wire/validate.ts';
import { callExecution, type Sender } from './actions/execute.ts';
import { authenticate, authorize, resolveOrg } from './auth.ts';
import { addressOf } from './limits/connection.ts';
import { checkAnswerSize, checkRequestSize } from './limits/sizes.ts';
import { bindPath, bindQuery, pathOf } from './bind.ts';
import type { Call, Caller, ServerState } from './context.ts';
import {
  answerOf,
  connectErrorOf,
  invalid,
  notFoundPath,
  PlainError,
  refusal,
  wrongMethod,
} from './errors.ts';
import type { Method, Route, Verb } from './method.ts';

export interface AppParts {
  readonly state: ServerState;
  readonly methods: readonly Method[];
  /** Calls the targets of executions. */
  readonly sender: Sender;
  /** Routes and middleware of their own, before the methods: health, tokens, control, rate limits. */
  readonly mount: readonly ((app: Hono, state: ServerState) => void)[];
}

export function createApp(parts: AppParts): Hono {
  const app = new Hono({ router: createRouter() });
  for (const mount of parts.mount) mount(app, parts.state);
  for (const [route, method] of mostFixedFirst(parts.methods)) {
    const [verb] = route.split(' ') as [Verb];
    app.on(verb, pathOf(route), (context) => run(parts, method, route, context));
  }
  app.onError((error, context) => refuse(error, context, parts.state));
  app.notFound((context) => {
    const known = app.routes.some((route) => route.path !== '/*' && matches(route.path, context.req.path));
    return refuse(known ? wrongMethod() : notFoundPath(), context, parts.state);
  });
  return app;
}

/** Most calls go to a handful of fixed paths; walking the tree for each costs as much as reading a small body. */
function createRouter<T>(): Router<T> {
  const tree = new TrieRouter<T>();
  const fixed = new Set<string>();
  const known = new Map<string, Result<T>>();
  return {
    name: 'fixed paths first',
    add(method, path, handler) {
      tree.add(method, path, handler);
      if (!/[:*]/.test(path)) fixed.add(path);
      known.clear();
    },
    match(method, path) {
      if (!fixed.has(path)) return tree.match(method, path);
      const key = `${method} ${path}`;
      const before = known.get(key);
      if (before !== undefined) return before;
      const found = tree.match(method, path);
      known.set(key, found);
      return found;
    },
  };
}

/** Services of version 2 answer by the Connect protocol as well, where the path is the method's full name. */
const routesOf = ({ rpc, route }: Method): readonly Route[] =>
  /^\/zitadel\.\w+\.v2\./.test(rpc) ? [route, `POST ${rpc as `/${string}`}`] : [route];

const isConnect = (path: string): boolean => path.startsWith('/zitadel.');

/** `/users/_is_unique` before `/users/{id}`: the first route that matches is taken. */
function mostFixedFirst(methods: readonly Method[]): readonly (readonly [Route, Method])[] {
  const routes = methods.flatMap((method) => routesOf(method).map((route) => [route, method] as const));
  return routes.toSorted(([a], [b]) => a.split('{').length - b.split('{').length);
}

async function run(
  { state, sender }: AppParts,
  method: Method,
  route: Route,
  context: Context,
): Promise<Response> {
  // A HEAD reaches the handler of GET.
  if (context.req.method === 'HEAD') throw wrongMethod();
  const { store, settings, restrictions } = state;
  const request = await readRequest(method, route, context);
  checkHost(state, context);
  if (restrictions.blocked) throw refusal('LIMITS-molsj');
  const caller = authenticate(store, context.req.header('authorization'), settings.clock.now());
  const asked = method.org?.(request, state) ?? context.req.header('x-zitadel-orgid');
  const orgId = resolveOrg(store, caller, asked);
  if (method.permission !== 'authenticated') authorize(store, caller, orgId, method.permission);
  const call: Call = new MethodCall(state, caller, orgId, method.rpc, context);
  if (restrictions.quota !== undefined) {
    if (restrictions.quota <= 0) throw refusal('QUOTA-vjAy8');
    restrictions.quota--;
  }
  const asChanged = (await callExecution(sender, method, call, request)) ?? request;
  const broken = violation(method.request, asChanged);
  if (broken !== undefined) throw invalid(broken);
  const response = await method.handle(call, asChanged);
  const asReturned = (await callExecution(sender, method, call, asChanged, { response })) ?? response;
  const body = encode(method.response, asReturned);
  const text = JSON.stringify(body);
  checkAnswerSize(method, body, text.length);
  return new Response(text, {
    status: isConnect(context.req.path) ? 200 : (method.status ?? 200),
    headers: successHeaders(settings.clock.now()),
  });
}

/** A class, so that all calls have one shape: an object literal with a getter would have a new one every time. */
class MethodCall implements Call {
  readonly store: ServerState['store'];
  readonly lists: ServerState['lists'];
  readonly settings: ServerState['settings'];
  readonly webKey: ServerState['webKey'];
  readonly restrictions: ServerState['restrictions'];
  readonly names: ServerState['names'];
  readonly background: ServerState['background'];
  readonly caller: Caller;
  readonly orgId: string;
  readonly rpc: string;
  readonly #context: Context;

  constructor(state: ServerState, caller: Caller, orgId: string, rpc: string, context: Context) {
    this.store = state.store;
    this.lists = state.lists;
    this.settings = state.settings;
    this.webKey = state.webKey;
    this.restrictions = state.restrictions;
    this.names = state.names;
    this.background = state.background;
    this.caller = caller;
    this.orgId = orgId;
    this.rpc = rpc;
    this.#context = context;
  }

  get origin(): string {
    return originOf(this.#context);
  }

  get address(): string | undefined {
    return addressOf(this.#context);
  }

  header(name: string): string | undefined {
    return this.#context.req.header(name);
  }
}

async function readRequest(method: Method, route: Route, context: Context): Promise<unknown> {
  const hasBody = !route.startsWith('GET ') && (!route.startsWith('DELETE ') || method.bodyOnDelete === true);
  try {
    if (!hasBody) return bindPath(method, route, context, bindQuery(method, context));
    const body = new Uint8Array(await context.req.arrayBuffer());
    const request = bindPath(method, route, context, decode(method.request, body) as object);
    checkRequestSize(method, request, body.byteLength);
    return request;
  } catch (error) {
    if (error instanceof DecodeError) throw invalid(error.message);
    throw error;
  }
}

const domainsPage = 'https://zitadel.com/docs/apis/introduction#domains';

/** The instance answers to its external domains, and to names that only lead to this machine or network. */
function checkHost({ store, settings: { hosts } }: ServerState, context: Context): void {
  const { host, protocol } = new URL(originOf(context));
  const given = context.req.header('host') ?? host;
  if (isLocalName(given) || hosts.includes('*') || hosts.some((name) => isOfDomain(given, name))) return;
  throw new PlainError(
    grpcCodes.notFound,
    `unable to set instance using origin &{${given}  ${protocol.slice(0, -1)}} ` +
      `(ExternalDomain is ${hosts[0] ?? store.instance.domain}): ID=QUERY-1kIjX Message=Instance not found. ` +
      `Make sure you got the domain right. Check out ${domainsPage}`,
  );
}

/** A name without a port stands for all ports. */
const isOfDomain = (host: string, domain: string): boolean =>
  host === domain || host.replace(/:\d+$/, '') === domain;

/** `localhost`, a name without a dot as containers have it, or an address. */
function isLocalName(host: string): boolean {
  const name = host.replace(/:\d*$/, '');
  return /^[^.]*$|\.localhost$|^[\d.]+$|^\[[\da-f:.]+\]$/i.test(name);
}

/** As the client sees this server: what a proxy says, else the request itself. */
export function originOf(context: Context): string {
  const url = context.req.url;
  const end = url.indexOf('/', 8);
  const own = end === -1 ? url : url.slice(0, end);
  const forwarded = context.req.header('x-forwarded-proto') ?? '';
  const proto = /^https?$/.test(forwarded) ? forwarded : own.slice(0, own.indexOf(':'));
  const host = context.req.header('x-forwarded-host') ?? context.req.header('host');
  if (host === undefined) return own;
  return `${proto}://${host}`;
}

let expiresSecond = -1;
let expiresText = '';

/** The headers of every JSON answer. */
export function successHeaders(now: number): Record<string, string> {
  const second = Math.floor(now / 1000);
  if (second !== expiresSecond) {
    expiresSecond = second;
    expiresText = new Date(now).toUTCString();
  }
  return {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    pragma: 'no-cache',
    expires: expiresText,
    'grpcgateway-content-type': 'application/grpc',
  };
}

function refuse(error: unknown, context: Context, state: ServerState): Response {
  const { status, body } = answerOf(error, context.req.header('accept-language'));
  if (status === 500 && body.details?.[0]?.id === 'RECOVER') {
    state.settings.log(`unexpected: ${error instanceof Error ? error.message : 'unknown error'}`);
  }
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (isConnect(context.req.path)) {
    return context.body(JSON.stringify(connectErrorOf(body)), status as 400, headers);
  }
  if (status === 401) headers['www-authenticate'] = body.message;
  return context.body(JSON.stringify(body), status as 400, headers);
}

const patterns = new Map<string, RegExp>();

function matches(route: string, path: string): boolean {
  let pattern = patterns.get(route);
  if (pattern === undefined) {
    const source = route.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+');
    pattern = new RegExp(`^${source}$`);
    patterns.set(route, pattern);
  }
  return pattern.test(path);
}
