/** Reads the raw body of a request up to a limit, from node:http and from Fetch-style requests. */
import type { IncomingMessage } from 'node:http';
import { refuse, type Refused } from './verify.ts';

/** Why a body cannot be checked. */
export const bodyProblems = {
  'too-large': 'The body is larger than is allowed.',
  'body-consumed': 'Another parser has read the body. Mount the webhook before it.',
  incomplete: 'The connection broke off during the call.',
} as const;
export type BodyProblem = keyof typeof bodyProblems;

/** A body that a framework's parser has put on the request. */
type ParsedRequest = IncomingMessage & { body?: unknown; rawBody?: unknown };

/**
 * Bytes beyond the limit that are read and discarded, for senders that read no response before they have sent
 * everything.
 */
const drainFactor = 8;

/**
 * Reads a node:http request. A body that middleware kept as bytes or text (`express.raw()`) is used unchanged. A parsed body is
 * refused, because its bytes are lost.
 */
export async function readNodeBody(
  request: ParsedRequest,
  maxBytes: number,
): Promise<Uint8Array | Refused<BodyProblem>> {
  const kept = [request.rawBody, request.body].find(isRaw);
  if (kept !== undefined) return limitBody(kept, maxBytes);
  if (request.readableEnded) return consumed();
  return readBlocks(request, maxBytes);
}

/** Reads the body of a Fetch-style request once. A body that was already read is refused. */
export async function readFetchBody(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array | Refused<BodyProblem>> {
  if (request.bodyUsed) return consumed();
  return request.body === null ? new Uint8Array() : readBlocks(request.body, maxBytes);
}

/** Checks a body that was read elsewhere. A parsed body is refused, because its bytes are lost. */
export function limitBody(body: Uint8Array | string, maxBytes: number): Uint8Array | Refused<BodyProblem> {
  if (!isRaw(body)) return consumed();
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return bytes.length <= maxBytes ? bytes : tooLarge(maxBytes);
}

async function readBlocks(blocks: AsyncIterable<Uint8Array>, maxBytes: number) {
  let kept: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const block of blocks) {
      bytes += block.length;
      if (!(bytes <= maxBytes * drainFactor)) break;
      if (bytes <= maxBytes) kept.push(block);
      else kept = [];
    }
  } catch {
    return refuse('incomplete', `the call broke off after ${bytes} bytes`);
  }
  return bytes <= maxBytes ? Buffer.concat(kept) : tooLarge(maxBytes);
}

const isRaw = (body: unknown): body is Uint8Array | string =>
  ArrayBuffer.isView(body) || typeof body === 'string';

const tooLarge = (maxBytes: number): Refused<BodyProblem> =>
  refuse('too-large', `the body is larger than the limit of ${maxBytes} bytes`);

const consumed = (): Refused<BodyProblem> =>
  refuse(
    'body-consumed',
    'the body was read before: mount the webhook before body parsers, or keep the raw bytes',
  );
