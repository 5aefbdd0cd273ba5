/**
 * Answers calls of methods. Every call goes through the steps of the service in order: read the body, check its size,
 * host, block, token and permission, quota, request targets, field rules, handler, response targets.
 */
import type { Context, Hono } from 'hono';
import { grpcCodes } from '../wire/errors.ts';
import { decode, DecodeError, encode } from '../wire/codec.ts';
import { violation } from '../wire/validate.ts';
import { callExecution } from './actions/execute.ts';
import { authenticate, requirePermission } from './auth.ts';
import { originOf, checkAnswerSize, checkRequestSize } from './limits/connection.ts';
import { type Call, type ServerState, type Method, type Route, verbs } from './method.ts';
import {
  answerOf,
  connectErrorOf,
  existing,
  invalid,
  ServiceError,
  wrongMethod,
  refuseIf,
  refuseLacking,
} from './errors.ts';
import { excerpt } from './recent.ts';
import { findOrg } from './store/store.ts';

/** Adds the methods, and the answers for errors and unknown paths. */
export function mountMethods(app: Hono, state: ServerState, methods: readonly Method[]) {
  for (const [route, method] of mostFixedFirst(methods)) {
    const [verb = '', path = ''] = route.split(' ');
    app.on(verb, path, (context) => run(state, method, route, context));
  }
  app.onError((error, context) => refuse(error, context, state));
  app.notFound((context) => {
    // Some handlers run for every path, so they do not count.
    const handlers = (verb: string, path: string) => app.router.match(verb, path)[0].length;
    const { path } = context.req;
    const known = verbs.some((verb) => handlers(verb, path) > handlers(verb, '/'));
    if (known) throw wrongMethod();
    // "Not found" would read as if the user or organization of the call were missing.
    refuseLacking(isConnect(path) || otherPaths.some((start) => path.startsWith(start)), path);
    // The service's own answer to an unknown path.
    state.settings.log(`${context.req.method} ${excerpt(path)}: the reference server has no such call`);
    throw new ServiceError(grpcCodes.notFound, 'Not Found');
  });
}

const isConnect = (path: string) => path.startsWith('/zitadel.');

/** Paths of the service that are no methods. */
const otherPaths = ['/oauth/', '/oidc/', '/scim/', '/ui/'];

/** Sorts `/users/_is_unique` before `/users/:id`, because the first matching route wins. */
function mostFixedFirst(methods: readonly Method[]) {
  const routes = methods.flatMap((method): (readonly [Route, Method])[] => {
    const { rpc, route } = method;
    // Services of version 2 also answer by the Connect protocol, where the path is the method's full name.
    const byName = rpc.includes('.v2') ? [`POST ${rpc as `/${string}`}` as const] : [];
    return [route, ...byName].map((one) => [one, method]);
  });
  return routes.toSorted(([a], [b]) => a.split(':').length - b.split(':').length);
}

async function run(state: ServerState, method: Method, route: Route, context: Context) {
  // A HEAD request reaches the handler of GET.
  if (context.req.method === 'HEAD') throw wrongMethod();
  const { store, settings, restrictions } = state;
  const type = context.req.header('content-type') ?? '';
  refuseLacking(
    isConnect(context.req.path) && /grpc|proto/.test(type),
    'gRPC or protobuf: call it with JSON',
  );
  const request = await readRequest(method, route, context);
  checkHost(state, context);
  refuseIf(restrictions.blocked, 'LIMITS-molsj');
  const caller = authenticate(store, context.req.header('authorization'), store.now());
  const asked = method.org?.(request, state) ?? context.req.header('x-zitadel-orgid');
  const { id: orgId } = existing(findOrg(store, asked || caller.user.orgId), 'AUTH-Bs7Ds');
  const call: Call = { ...state, caller, orgId, http: context };
  if (method.permission !== 'authenticated') requirePermission(call, orgId, method.permission, 'AUTH-5mWD2');
  if (restrictions.quota !== null) {
    refuseIf(restrictions.quota <= 0, 'QUOTA-vjAy8');
    restrictions.quota--;
  }
  const asChanged = (await callExecution(method, call, request)) ?? request;
  const broken = violation(method.request, asChanged);
  if (broken !== undefined) throw invalid(broken);
  // The first generation of actions first checks whether the feature is enabled.
  refuseIf(method.rpc.includes('.v3alpha.') && !settings.actions, 'SCHEMA-141bwx3lef');
  const response = await method.handle(call, asChanged);
  const asReturned = (await callExecution(method, call, asChanged, { response })) ?? response;
  const body = encode(method.response, asReturned);
  const text = JSON.stringify(body);
  checkAnswerSize(method, body, text.length);
  return new Response(text, {
    status: isConnect(context.req.path) ? 200 : (method.status ?? 200),
    headers: successHeaders(store.now()),
  });
}

async function readRequest(method: Method, route: Route, context: Context): Promise<unknown> {
  const hasBody = !route.startsWith('GET ') && (!route.startsWith('DELETE ') || method.bodyOnDelete === true);
  try {
    // Fields that the path names win over the body.
    const inPath = context.req.param();
    if (!hasBody) return Object.assign(bindQuery(method, context), inPath);
    const body = new Uint8Array(await context.req.arrayBuffer());
    const request = Object.assign(decode(method.request, body) as object, inPath);
    checkRequestSize(method, request, body.byteLength);
    return request;
  } catch (error) {
    if (error instanceof DecodeError) throw invalid(error.message);
    throw error;
  }
}

/** Reads `?userName=x&keys=a&keys=b` as if it were a body. Names that the request does not have are ignored. */
function bindQuery({ request }: Method, context: Context) {
  const body: Record<string, unknown> = {};
  for (const [name, values] of Object.entries(context.req.queries())) {
    const field = request.plan.byName.get(name);
    if (field !== undefined) body[field.name] = field.list === undefined ? values.at(-1) : values;
  }
  return decode(request, Buffer.from(JSON.stringify(body))) as object;
}

const domainsPage = 'https://zitadel.com/docs/apis/introduction#domains';

/**
 * Throws unless the host is one of the instance's external domains, or a name that only resolves on this machine or
 * network.
 */
function checkHost({ store, settings: { hosts } }: ServerState, context: Context) {
  const { host, protocol } = new URL(originOf(context));
  const given = context.req.header('host') ?? host;
  // An allowed name without a port matches every port.
  const name = given.replace(/:\d*$/, '');
  if ([given, name, '*'].some((one) => hosts.includes(one))) return;
  // `localhost`, a name without a dot (a container), or an IP address.
  if (/^[^.]*$|\.localhost$|^[\d.]+$|^\[[\da-f:.]+\]$/i.test(name)) return;
  throw new ServiceError(
    grpcCodes.notFound,
    `unable to set instance using origin &{${given}  ${protocol.slice(0, -1)}} (ExternalDomain is ${store.instance.domain}): ID=QUERY-1kIjX Message=Instance not found. Make sure you got the domain right. Check out ${domainsPage}`,
  );
}

/** Returns the headers of every successful JSON answer. */
export const successHeaders = (now: number): Record<string, string> => ({
  'content-type': 'application/json',
  'cache-control': 'no-store',
  pragma: 'no-cache',
  expires: new Date(now).toUTCString(),
  'grpcgateway-content-type': 'application/grpc',
});

function refuse(error: Error, context: Context, state: ServerState) {
  const { status, body } = answerOf(error, context.req.header('accept-language'));
  if (status === 500 && body.details?.[0]?.id === 'RECOVER') {
    state.settings.log(`unexpected: ${error.message}`);
  }
  if (isConnect(context.req.path)) {
    // gRPC-Web reads the header.
    const headers = { 'grpc-message': encodeURIComponent(body.message) };
    return context.json(connectErrorOf(body), status as 400, headers);
  }
  return context.json(body, status as 400, status === 401 ? { 'www-authenticate': body.message } : {});
}
