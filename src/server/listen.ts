/** Opens a socket for the app, with limits for slow and endless clients. */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { openServer } from '../lib/http-server.ts';
import type { ConnectionLimits, Listening, ListenOptions } from './options.ts';

const defaultLimits: ConnectionLimits = {
  headers: 10_000,
  request: 120_000,
  idle: 5_000,
  silent: 600_000,
  headerBytes: 16 * 1024,
  check: 1_000,
};

/** Throws `listen:port` when the port cannot be had. */
export async function listen(app: Pick<Hono, 'fetch'>, options: ListenOptions = {}): Promise<Listening> {
  const limits = { ...defaultLimits, ...options.limits };
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: options.ownProcess ?? false });
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      keepAliveTimeout: limits.idle,
      connectionsCheckingInterval: limits.check,
    },
    (incoming, outgoing) => void answer(incoming, outgoing),
  );
  server.setTimeout(limits.silent);
  const opened = await openServer(server, options.host ?? '127.0.0.1', options.port ?? 0);
  return { ...opened, close: (grace = 10_000) => opened.close(grace) };
}
