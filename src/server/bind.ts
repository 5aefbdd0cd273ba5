/** Copies the path variables and the query of a URL into the fields of a request. */
import type { Context } from 'hono';
import { decode } from '../wire/codec.ts';
import { camelCase } from '../wire/member-names.ts';
import type { MessagePlan } from '../wire/message.ts';
import { pathFields, type Method, type Route } from './method.ts';

/** `POST /v2/users/{user_id}/lock` -> `/v2/users/:userId/lock` */
export function pathOf(route: Route): string {
  return route
    .slice(route.indexOf(' ') + 1)
    .replace(/\{([a-zA-Z0-9_]+)\}/g, (_, name: string) => `:${camelCase(name)}`);
}

const fieldsOf = new Map<Route, readonly string[]>();

/** The path wins over the body. */
export function bindPath(_method: Method, route: Route, context: Context, request: object): object {
  let names = fieldsOf.get(route);
  if (names === undefined) {
    names = pathFields(route);
    fieldsOf.set(route, names);
  }
  if (names.length === 0) return request;
  const fields = request as Record<string, unknown>;
  for (const name of names) fields[name] = context.req.param(name);
  return request;
}

/** `?userName=x&query.limit=5` as if it were a body; names that the request does not have are ignored. */
export function bindQuery(method: Method, context: Context): object {
  const search = new URL(context.req.url).searchParams;
  const { plan } = method.request;
  const body: Record<string, unknown> = {};
  for (const [name, value] of search) place(body, plan, name.split('.'), value);
  return decode(method.request, Buffer.from(JSON.stringify(body))) as object;
}

function place(
  into: Record<string, unknown>,
  plan: MessagePlan,
  path: readonly string[],
  value: string,
): void {
  const field = plan.byName.get(path[0] ?? '');
  if (field === undefined) return;
  if (field.message !== undefined) {
    if (field.list !== undefined || path.length < 2) return;
    const inner = (into[field.name] ?? {}) as Record<string, unknown>;
    into[field.name] = inner;
    place(inner, field.message.plan, path.slice(1), value);
    return;
  }
  const content = field.kind === 'bool' ? readFlag(value) : value;
  if (field.list !== undefined) into[field.name] = [...((into[field.name] as unknown[]) ?? []), content];
  else into[field.name] = content;
}

/** The forms of a bool that the gateway takes. */
function readFlag(value: string): boolean | string {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)) return true;
  return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value) ? false : value;
}
