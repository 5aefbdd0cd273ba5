/** A webhook receiver on its own port until the test ends: keeps every call and answers as configured. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serveHere } from './local-server.ts';

export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly calls: ReceivedCall[];
  /** What the next calls are answered with; 200 without a body by default. */
  answer: (response: ServerResponse, call: ReceivedCall) => void;
}

export async function startReceiver() {
  const receiver: Omit<Receiver, 'url'> = { calls: [], answer: (response) => response.end() };
  const url = await serveHere(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const call = { method, path, headers, body: await text(request) };
    receiver.calls.push(call);
    receiver.answer(response, call);
  });
  return Object.assign(receiver, { url });
}
