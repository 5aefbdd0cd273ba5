/** Servers on a port of this machine, until the test ends. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { selfSigned } from './certificate.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Resolves to its address: `http://127.0.0.1:<port>`. */
export async function listenHere(server: Server & { closeAllConnections?: () => void }) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => closeNow(server));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function closeNow(server: Server & { closeAllConnections?: () => void }) {
  server.closeAllConnections?.();
  server.close();
}

export const serveHere = (handler: Handler) =>
  listenHere(createServer((request, response) => void handler(request, response)));

/** With a certificate that signs itself. */
export async function serveTlsHere(handler: Handler) {
  const { cert, key } = selfSigned();
  const server = createTlsServer({ cert, key }, (request, response) => void handler(request, response));
  const { port } = new URL(await listenHere(server));
  return { url: `https://localhost:${port}`, cert };
}

/** A proxy that speaks CONNECT alone and writes down where to. */
export async function serveProxyHere(refuses = false) {
  const asked: string[] = [];
  const server = createServer().on('connect', ({ url = '' }, client) => {
    asked.push(url);
    if (refuses) {
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    const [host = '', port] = url.split(':');
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on('error', () => client.destroy());
    client.on('error', () => upstream.destroy());
  });
  return { proxy: await listenHere(server), asked };
}

/** An address where nothing listens. */
export async function closedAddress() {
  const server = createServer();
  const url = await listenHere(server);
  closeNow(server);
  return url;
}

/** Takes a whole request, and says the status and the JSON of the response. */
export const answerHere = (
  answer: (asked: {
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }) => Promise<readonly [status: number, json: unknown]>,
) =>
  serveHere(async (request, response) => {
    const [status, json] = await answer({ headers: request.headers, body: await text(request) });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  });

/** A proxy of a service. `between` says what becomes of each request, which `pass` passes on. */
export const forwardHere = (
  to: string,
  between: (
    asked: { readonly method: string; readonly path: string; readonly body: string },
    pass: () => Promise<Response>,
  ) => Promise<Response>,
) =>
  serveHere(async (request, response) => {
    const { method = '', url: path = '' } = request;
    const body = await text(request);
    const { authorization = '' } = request.headers;
    const headers = { authorization, 'content-type': 'application/json' };
    const pass = () => fetch(to + path, { method, headers, ...(body !== '' && { body }) });
    const answer = await between({ method, path, body }, pass);
    const content = await answer.text();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(content);
  });
