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
import { callApp, type TestAnswer } from './reference-server.ts';

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

export type Answer = TestAnswer;

export function createFullServer(options: ReferenceServerOptions = {}): FullServer {
  const clock = createFakeClock();
  const server = createReferenceServer({ clock, profile: 'all-verifiers', ...options });
  return {
    ...server,
    clock,
    call(route, body, { as = 'iamOwner', headers = {} } = {}) {
      const token = as === 'anonymous' ? undefined : server.tokens[as];
      return callApp(server.app, route, body, {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      });
    },
    control(route, body) {
      const [method, path] = route.split(' ') as [string, string];
      return callApp(server.app, `${method} /_idport/${path}`, body, {
        authorization: `Bearer ${server.controlToken}`,
      });
    },
  };
}
