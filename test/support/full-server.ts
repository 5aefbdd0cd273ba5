/**
 * The reference server for tests, as the library makes it: in memory, on a clock that stands still, without a socket; and one user
 * as each call takes one.
 */
import type { Hono } from 'hono';
import type { ServerSettings } from '../../src/server/method.ts';
import { createReferenceServer, type ReferenceServerOptions } from '../../src/server/index.ts';
import type { StandardRole } from '../../src/server/options.ts';
import type { OrgRow } from '../../src/server/store/rows.ts';
import { createFakeClock } from './clock.ts';

export type FullServer = ReturnType<typeof createFullServer>;

export interface CallOptions {
  /** Whose token; the instance owner's when absent. */
  readonly as?: StandardRole | 'anonymous';
  readonly token?: string;
  readonly orgId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Answer = Awaited<ReturnType<typeof callApp>>;

export function createFullServer(
  options: ReferenceServerOptions = {},
  settings: Partial<ServerSettings> = {},
) {
  const clock = createFakeClock();
  /** Lines that the real service would only log. */
  const logged: string[] = [];
  const onLog = (line: string) => logged.push(line);
  const server = createReferenceServer({ clock, profile: 'all-verifiers', onLog, ...options }, settings);
  /** `call('POST /v2/actions/targets', {...})` as the instance owner, or as the named caller. */
  const call = (
    route: string,
    body?: unknown,
    { as = 'iamOwner', token, orgId, headers }: CallOptions = {},
  ) => {
    const bearer = token ?? (as === 'anonymous' ? undefined : server.tokens[as]);
    return callApp(server.app, route, body, {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(orgId !== undefined && { 'x-zitadel-orgid': orgId }),
      ...headers,
    });
  };
  const importOrgs = (orgs: readonly object[], more?: object) =>
    call('POST /admin/v1/import', { dataOrgs: { orgs }, timeout: '5m', ...more });
  return {
    ...server,
    clock,
    logged,
    call,
    importOrgs,
    /** Imports lists of entries into the server's own organization. */
    importInto: (lists: object, more?: object) => importOrgs([{ orgId: server.orgId, ...lists }], more),
    /** Sets rows of the server's own organization, or a copy of it under another id, without a call. */
    patchOrg({ id = server.orgId, ...changes }: Partial<OrgRow>) {
      const { orgs } = server.state.store;
      orgs.put({ ...orgs.get(server.orgId)!, id, ...changes });
    },
    /** `control('GET state')` with the control token. */
    control(route: string, body?: unknown) {
      const [method, path] = route.split(' ') as [string, string];
      return callApp(server.app, `${method} /_idport/${path}`, body, {
        authorization: `Bearer ${server.controlToken}`,
      });
    },
  };
}

/** The same without limits, and with hashes that take no time: `$test$<password>`. */
export const createTestServer = (
  settings: Partial<ServerSettings> = {},
  options: ReferenceServerOptions = {},
) =>
  createFullServer(
    { rate: null, ...options },
    {
      verifyPassword: (password, hash) => Promise.resolve(hash === `$test$${password}`),
      hashPassword: (password) => Promise.resolve(`$test$${password}`),
      readObject: () => Promise.reject(new Error('no such object')),
      ...settings,
    },
  );

/** `route` is `POST /v2/users`; a body that is no text is sent as JSON. */
async function callApp(app: Hono, route: string, body: unknown, headers: Record<string, string>) {
  const [method, path] = route.split(' ') as [string, string];
  const answer = await app.request(path, {
    method,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const parsed = parse(await answer.text());
  return {
    status: answer.status,
    headers: answer.headers,
    body: parsed,
    /** Of its first detail. */
    errorId: parsed?.details?.[0]?.id,
  };
}

function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Cost 10, and of no password. */
export const someHash = `$2a$10$${'x'.repeat(53)}`;

/** As version 1 and the bulk import take one. */
export const userV1 = (name: string, more: object = {}) => ({
  userName: name,
  profile: { firstName: 'Ada', lastName: name },
  email: { email: `${name}@acme.example`, isEmailVerified: true },
  ...more,
});

/** As version 2 takes one. */
export const userV2 = (name: string, more: object = {}) => ({
  userId: name,
  username: name,
  profile: { givenName: 'Ada', familyName: name },
  email: { email: `${name}@acme.example`, isVerified: true },
  ...more,
});

/** An entry of a bulk import, with a hash. */
export const importedUser = (id: string, user: object = {}, entry: object = {}) => ({
  userId: id,
  user: userV1(id, { hashedPassword: { value: someHash }, ...user }),
  ...entry,
});
