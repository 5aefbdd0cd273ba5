/** Deals with the connection of a request: its address, cutting it, and the sizes of requests and answers. */
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { readAll } from '../../lib/input.ts';
import { grpcCodes } from '../../wire/errors.ts';
import { responseLimit, requestLimit, protobufSize } from '../../wire/import-size.ts';
import { ServiceError } from '../errors.ts';
import type { Method } from '../method.ts';

/** Returns what the Node adapter adds to a request; nothing if the app is called without a socket. */
const bindingsOf = (context: Context) => (context.env as Partial<HttpBindings> | undefined) ?? {};

/** Returns the address of the socket, or undefined if there is no socket. Headers of proxies are not trusted. */
export function addressOf(context: Context) {
  return bindingsOf(context).incoming?.socket.remoteAddress;
}

/** Returns the server's origin as the client sees it: from a proxy's headers, or else from the request. */
export function originOf(context: Context) {
  const own = new URL(context.req.url).origin;
  const forwarded = context.req.header('x-forwarded-proto') ?? '';
  const proto = /^https?$/.test(forwarded) ? forwarded : own.slice(0, own.indexOf(':'));
  const host = context.req.header('x-forwarded-host') ?? context.req.header('host');
  const origin = `${proto}://${host}`;
  return host !== undefined && URL.canParse(origin) ? origin : own;
}

/** Cuts the connection without an answer. If there is no socket, the answer's body fails instead. */
export function cutConnection(context: Context): Response {
  const { incoming } = bindingsOf(context);
  if (incoming === undefined) return brokenResponse(new Uint8Array(), 502, {});
  incoming.socket.resetAndDestroy();
  return RESPONSE_ALREADY_SENT;
}

/** Sends the first half of the answer's body, then cuts the connection. */
export async function cutInTheMiddle(context: Context, response: Response): Promise<Response> {
  const body = new Uint8Array(await response.arrayBuffer());
  const half = body.subarray(0, Math.floor(body.length / 2));
  const headers = { ...Object.fromEntries(response.headers), 'content-length': String(body.length) };
  const { incoming, outgoing } = bindingsOf(context);
  if (incoming === undefined || outgoing === undefined) return brokenResponse(half, response.status, headers);
  outgoing.writeHead(response.status, headers);
  outgoing.write(half, () => incoming.socket.destroy());
  return RESPONSE_ALREADY_SENT;
}

function brokenResponse(start: Uint8Array, status: number, headers: Record<string, string>) {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (start.length > 0) controller.enqueue(start);
    },
    pull: (controller) => controller.error(new Error('the connection is cut on purpose')),
  });
  return new Response(body, { status, headers });
}

/**
 * Reports whether the body is longer than `maxBytes`. A Content-Length is trusted, because Node enforces it. Without
 * one, the body is read here, up to the limit.
 */
export async function isBodyTooLong(context: Context, maxBytes: number) {
  const announced = context.req.header('content-length');
  if (announced !== undefined) return Number(announced) > maxBytes;
  const { incoming } = bindingsOf(context);
  if (incoming?.headers['transfer-encoding'] === undefined) return false;
  // The connection stays open for the answer.
  const blocks: AsyncIterable<Buffer> = incoming.iterator({ destroyOnReturn: false });
  const body = await readAll(blocks, maxBytes);
  // The adapter reads the body from here.
  if (body !== undefined) Object.assign(incoming, { rawBody: body });
  return body === undefined;
}

/**
 * Throws if a request of a version 1 API is too large as protobuf. A message is smaller as protobuf than as JSON, so
 * only a long body is measured. Methods of version 2 have no limit.
 */
export function checkRequestSize({ rpc, request: schema }: Method, request: unknown, bytes: number) {
  if (bytes <= requestLimit || !rpc.includes('.v1.')) return;
  const size = protobufSize(schema, request);
  if (size > requestLimit) throw tooLarge('grpc: received message larger than max', size, requestLimit);
}

/**
 * Throws if an answer is too large as protobuf. `body` is the answer as sent, without defaults; `length` is the length
 * of its JSON text.
 */
export function checkAnswerSize({ response }: Method, body: unknown, length: number) {
  // A UTF-16 unit takes at most three bytes.
  if (length * 3 <= responseLimit) return;
  const size = protobufSize(response, body);
  if (size > responseLimit) throw answerTooLarge(size);
}

export const answerTooLarge = (size: number) =>
  tooLarge('trying to send message larger than max', size, responseLimit);

const tooLarge = (text: string, size: number, max: number) =>
  new ServiceError(grpcCodes.resourceExhausted, `${text} (${size} vs. ${max})`);
