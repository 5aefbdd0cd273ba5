/** Creates a reference server from its options: state, limits, control interface, methods and socket. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { openServer } from '../lib/http-server.ts';
import { addKey } from './accounts.ts';
import { mountMethods } from './app.ts';
import type { ServerSettings } from './method.ts';
import { mountControl } from './control.ts';
import { createCore, reset, seed } from './core.ts';
import { exportOrgs, exportText } from './export.ts';
import { mountGate } from './limits/gate.ts';
import { methods } from './methods/index.ts';
import type { Listening, ReferenceServerOptions, ConnectionLimits, ListenOptions } from './options.ts';
import { mountHealth } from './routes/health.ts';
import { mountToken } from './routes/token.ts';

export type { ReferenceServerOptions } from './options.ts';

/** A reference server whose inside tests can look into. */
export type InspectableServer = ReturnType<typeof createReferenceServer>;

/**
 * Creates a server that does not listen yet. Throws `UsageError` for an unknown profile. For tests, `settings` override
 * what follows from the options.
 */
export function createReferenceServer(
  options: ReferenceServerOptions = {},
  settings: Partial<ServerSettings> = {},
) {
  const core = createCore(options, settings);
  const { state, known, background } = core;
  const token =
    options.control === false ? undefined : (options.controlToken ?? randomBytes(24).toString('base64url'));
  // First the gate, then the control interface, then everything that a client of the service can call.
  const app = new Hono();
  mountGate(app, core);
  if (token !== undefined) mountControl(app, core, token);
  mountHealth(app, state);
  mountToken(app, state);
  mountMethods(app, state, methods);
  const listening = new Set<Listening>();
  return {
    ...known,
    app,
    state,
    controlToken: token,
    createKey: (userId = known.users.iamOwner) => addKey(state, userId),
    async listen(where?: ListenOptions) {
      const opened = await listen(app, state.settings.log, where);
      listening.add(opened);
      return opened;
    },
    reset: async () => reset(core),
    seed: (body: unknown) => seed(core, body),
    dump() {
      const standard = new Set(Object.values(known.users));
      const everything = { withPasswords: true, withOtp: true, standard };
      return exportText(exportOrgs(state.store, state.store.orgs.list(), everything));
    },
    settled: background.settled,
    async close() {
      await Promise.all(Array.from(listening, (one) => one.close()));
      core.events.drop();
      await background.settled();
      await state.targetCaller.close();
    },
  };
}

const defaultLimits: ConnectionLimits = {
  headers: 10_000,
  request: 120_000,
  idle: 5_000,
  silent: 600_000,
  check: 1_000,
};

/** Throws `listen:port` if the port is not available. */
async function listen(
  app: Hono,
  log: ServerSettings['log'],
  options: ListenOptions = {},
): Promise<Listening> {
  const limits = { ...defaultLimits, ...options.limits };
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: options.ownProcess ?? false });
  const server = createServer(
    {
      maxHeaderSize: 16 * 1024,
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      keepAliveTimeout: limits.idle,
      connectionsCheckingInterval: limits.check,
    },
    (incoming, outgoing) => void answer(incoming, outgoing),
  );
  server.on('connection', (socket) => {
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code !== 'HPE_PAUSED_H2_UPGRADE') return;
      log('a client asked for HTTP/2, as gRPC does; the reference server has only HTTP/1.1 and JSON');
    });
  });
  server.setTimeout(limits.silent);
  return openServer(server, options.host ?? '127.0.0.1', options.port ?? 0);
}
