/** A reference server for tests: in memory, on a clock that stands still, called through `app.request`. */
import type { Hono } from 'hono';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { createApp, type AppParts } from '../../src/server/app.ts';
import { bootstrap } from '../../src/server/bootstrap.ts';
import type { Bootstrapped, StandardRole } from '../../src/server/options.ts';
import type { ServerState } from '../../src/server/context.ts';
import { methods } from '../../src/server/methods/index.ts';
import { mounts } from '../../src/server/methods/index.ts';
import type { ServerSettings } from '../../src/server/context.ts';
import { createListView } from '../../src/server/store/list-view.ts';
import { createStore } from '../../src/server/store/store.ts';
import { createWebKey } from '../../src/server/web-key.ts';
import { createFakeClock, type FakeClock } from './clock.ts';

export interface TestServer extends Bootstrapped {
  readonly app: Hono;
  readonly state: ServerState;
  readonly clock: FakeClock;
  /** Lines that the real service would only log. */
  readonly logged: string[];
  /** Waits for everything that runs behind answers. */
  settled(): Promise<void>;
  call(route: string, body?: unknown, options?: CallOptions): Promise<TestAnswer>;
}

export interface CallOptions {
  /** Whose token; the instance owner's when absent. */
  readonly as?: StandardRole | 'anonymous';
  readonly token?: string;
  readonly orgId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

export function createTestServer(
  settings: Partial<ServerSettings> = {},
  parts: Partial<Pick<AppParts, 'hooks' | 'mount'>> = {},
): TestServer {
  const clock = createFakeClock();
  const logged: string[] = [];
  const running = new Set<Promise<void>>();
  const complete: ServerSettings = {
    clock,
    hosts: [],
    profile: builtInProfiles.get('all-verifiers')!,
    verifyPassword: (password, hash) => Promise.resolve(hash === `$test$${password}`),
    hashPassword: (password) => Promise.resolve(`$test$${password}`),
    secondsPerUser: 0,
    cutAfterSeconds: 0,
    keptRows: 100_000,
    readObject: () => Promise.reject(new Error('no such object')),
    log: (line) => logged.push(line),
    ...settings,
  };
  const store = createStore(clock);
  const lists = createListView(store, clock, 0);
  store.listen(lists.onChange);
  const state: ServerState = {
    store,
    lists,
    webKey: createWebKey(),
    settings: complete,
    background(work) {
      const job: Promise<void> = work().finally(() => running.delete(job));
      running.add(job);
    },
  };
  const made = bootstrap(state);
  const app = createApp({
    state,
    methods,
    mount: [...mounts, ...(parts.mount ?? [])],
    hooks: parts.hooks ?? {},
  });

  return {
    ...made,
    app,
    state,
    clock,
    logged,
    async settled() {
      await Promise.all(running);
    },
    call(route, body, options = {}) {
      const token =
        options.token ?? (options.as === 'anonymous' ? undefined : made.tokens[options.as ?? 'iamOwner']);
      return callApp(app, route, body, {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(options.orgId === undefined ? {} : { 'x-zitadel-orgid': options.orgId }),
        ...options.headers,
      });
    },
  };
}

/** `route` is `POST /v2/users`; a body that is no text is sent as JSON. */
export async function callApp(
  app: Hono,
  route: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<TestAnswer> {
  const [method, path] = route.split(' ') as [string, string];
  const answer = await app.request(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: parse(await answer.text()) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
