/** Servers on a port of this machine, until the test ends. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Resolves to its address: `http://127.0.0.1:<port>`. */
export async function listenHere(server: Server & { closeAllConnections?: () => void }): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections?.();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const serveHere = (
  handler: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> => listenHere(createServer((request, response) => void handler(request, response)));

/** Takes a whole request, and says the status and the JSON of the response. */
export const answerHere = (
  answer: (asked: {
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }) => Promise<readonly [status: number, json: unknown]>,
): Promise<string> =>
  serveHere(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const [status, json] = await answer({ headers: request.headers, body });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
  });
