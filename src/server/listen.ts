/** Opens a socket for the app, with limits for slow and endless clients. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { IdportError } from '../errors.ts';
import type { ConnectionLimits, Listening, ListenOptions } from './options.ts';

const defaultLimits: ConnectionLimits = {
  headers: 10_000,
  request: 120_000,
  idle: 5_000,
  silent: 600_000,
  headerBytes: 16 * 1024,
  check: 1_000,
};

/** Throws an IdportError `server:port` when the port cannot be had. */
export async function listen(app: Pick<Hono, 'fetch'>, options: ListenOptions = {}): Promise<Listening> {
  const limits = { ...defaultLimits, ...options.limits };
  const host = options.host ?? '127.0.0.1';
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
  await open(server, host, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { port, url: `http://${name}:${port}`, close: (grace = 10_000) => close(server, grace) };
}

/** By the code of the system. */
const listenProblems: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'another program has this port'],
  ['EADDRNOTAVAIL', 'this machine does not have this address'],
  ['EACCES', 'this port is for administrators only'],
]);

function open(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(
        new IdportError(
          'server:port',
          `cannot listen on ${host}:${port}: ${listenProblems.get(cause.code ?? '') ?? cause.code ?? cause.message}`,
          {
            hint: 'Choose another --port (0 takes any free one), or another --host.',
            cause,
          },
        ),
      );
    });
    server.listen(port, host, resolve);
  });
}

function close(server: Server, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), grace);
    // A connection is idle as soon as its last answer is out, and no event says so.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearTimeout(force);
      clearInterval(sweep);
      resolve();
    });
  });
}
