/** Opens, limits and closes the HTTP servers of `serve`, `jit serve` and `actions listen`. */
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { IdportError } from '../errors.ts';

/** Port 0 lets the system choose a port. Throws `listen:port` if the port cannot be opened. */
export async function openServer(server: Server, host: string, port: number) {
  server.listen(port, host);
  await once(server, 'listening').catch((cause: NodeJS.ErrnoException) => {
    const [problem, hint] = problems[cause.code ?? ''] ?? [
      `cannot be opened (${cause.code ?? cause.message})`,
    ];
    throw new IdportError('listen:port', `${host}:${port} ${problem}`, hint, cause);
  });
  const scheme = 'setSecureContext' in server ? 'https' : 'http';
  const { port: opened } = server.address() as AddressInfo;
  return {
    port: opened,
    /** Address without a path. */
    url: `${scheme}://${host.includes(':') ? `[${host}]` : host}:${opened}`,
    /** Resolves when earlier requests are answered. Connections that take longer than `grace` milliseconds are closed. */
    close: (grace = 10_000) => close(server, grace),
  };
}

const notHere = ['is not an address of this machine', 'Choose another address to listen on.'] as const;
/** Problems by error code of the system. */
const problems: Readonly<Record<string, readonly [problem: string, hint?: string]>> = {
  EADDRINUSE: ['is in use by another program', 'Choose another port; port 0 takes a free one.'],
  EACCES: ['is not allowed for this user', 'Ports below 1024 need privileges; choose a higher one.'],
  EADDRNOTAVAIL: notHere,
  ENOTFOUND: notHere,
};

function close(server: Server, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), grace);
    // A connection is idle as soon as its last answer is sent, but there is no event for it.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearTimeout(force);
      clearInterval(sweep);
      resolve();
    });
  });
}

/** Largest number of idle connections. One more closes the oldest, so that callers without the key cannot keep others out. */
const maxWaiting = 1000;

/**
 * Opens a server for calls of the service, until the signal is given. Anyone can reach it, so its connections are limited.
 * `stopped` resolves when the calls before the signal are answered.
 */
export async function openReceiver(
  server: Server,
  { host, port, signal }: { readonly host: string; readonly port: number; readonly signal: AbortSignal },
  grace: number,
) {
  closeOldest(server);
  const opened = await openServer(server, host, port);
  const stop = async () => {
    if (!signal.aborted) await once(signal, 'abort');
    await opened.close(grace);
  };
  return { url: `${opened.url}/`, stopped: stop() };
}

function closeOldest(server: Server) {
  /** Waiting connections by address of the caller, which a TLS socket and the one below it have in common; oldest first. */
  const waiting = new Map<string, Socket>();
  const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on('connection', (socket) => {
    const key = keyOf(socket);
    const [oldest] = waiting.values();
    if (waiting.size >= maxWaiting) oldest?.destroy();
    waiting.set(key, socket);
    socket.once('close', () => waiting.delete(key));
  });
  server.on('request', (request, response: ServerResponse) => {
    const { socket } = request;
    const key = keyOf(socket);
    request.once('end', () => waiting.delete(key));
    response.once('finish', () => {
      if (!socket.destroyed) waiting.set(key, socket);
    });
  });
}
