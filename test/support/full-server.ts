/**
 * The whole reference server for tests, as the library makes it: in memory, on a clock that stands still, without a
 * socket.
 */
import type { StandardRole } from '../../src/server/options.ts';
import {
  createReferenceServer,
  type InspectableServer,
  type ReferenceServerOptions,
} from '../../src/server/index.ts';
import { createFakeClock, type FakeClock } from './clock.ts';

export interface FullServer extends InspectableServer {
  readonly clock: FakeClock;
  /** `call('POST /v2/actions/targets', {...})` as the instance owner, or as the named caller. */
  readonly call: (route: string, body?: unknown, options?: CallOptions) => Promise<Answer>;
  /** `control('GET state')` with the control token. */
  readonly control: (route: string, body?: unknown) => Promise<Answer>;
}

export interface CallOptions {
  readonly as?: StandardRole | 'anonymous';
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

export function createFullServer(options: ReferenceServerOptions = {}): FullServer {
  const clock = createFakeClock();
  const server = createReferenceServer({ clock, profile: 'all-verifiers', ...options });
  const send = async (route: string, body: unknown, headers: Record<string, string>): Promise<Answer> => {
    const [method, path] = route.split(' ') as [string, string];
    const answer = await server.app.request(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: parse(text) };
  };
  return {
    ...server,
    clock,
    call(route, body, { as = 'iamOwner', headers = {} } = {}) {
      const token = as === 'anonymous' ? undefined : server.tokens[as];
      return send(route, body, {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      });
    },
    control(route, body) {
      const [method, path] = route.split(' ') as [string, string];
      return send(`${method} /_idport/${path}`, body, { authorization: `Bearer ${server.controlToken}` });
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
