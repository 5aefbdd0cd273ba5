/**
 * Writes and reads a received call as a file: a plain, readable HTTP/1.1 message that other tools can send. The body follows the
 * first empty line unchanged.
 */
import { parseTime } from '../lib/clock.ts';
import { trimOf } from '../lib/strings.ts';

export interface SavedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Headers in their order and original case. A header may occur twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** When the call was received, in milliseconds since 1970; undefined if the file does not say. */
  readonly receivedAt: number | undefined;
}

/** Our own header with the time at which the call was received, to check its age. */
const receivedHeader = 'Idport-Received';

/** Headers about the length of the body. They are replaced by its real length. */
const framing = new Set(['transfer-encoding', 'content-length', receivedHeader.toLowerCase()]);

export function formatSavedRequest(request: SavedRequest) {
  const headers = request.headers.filter(([name]) => !framing.has(name.toLowerCase()));
  const lines = [
    `${request.method} ${request.path} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${request.body.length}`,
    ...(request.receivedAt === undefined
      ? []
      : [`${receivedHeader}: ${new Date(request.receivedAt).toISOString()}`]),
    '',
    '',
  ];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), request.body]);
}

/** Returns undefined for bytes that are not an HTTP request. Lines may end with LF alone, as editors write them. */
export function parseSavedRequest(bytes: Uint8Array): SavedRequest | undefined {
  const file = Buffer.from(bytes);
  const head = /^(?:[^\r\n]+\r?\n)+\r?\n/.exec(file.toString('latin1', 0, longestHead))?.[0];
  if (head === undefined) return undefined;
  const [first = '', ...lines] = head.trimEnd().split(/\r?\n/);
  const [, method, path] = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(first) ?? [];
  if (method === undefined || path === undefined) return undefined;
  const headers: [string, string][] = [];
  for (const line of lines) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    headers.push([name, trimOf(value, ' \t')]);
  }
  return {
    method,
    path,
    headers,
    body: file.subarray(head.length),
    receivedAt: parseTime(headerOf(headers, receivedHeader)[0] ?? ''),
  };
}

/** Returns all values of a header, whatever its case. */
export function headerOf(headers: SavedRequest['headers'], asked: string) {
  return headers.flatMap(([name, value]) => (name.toLowerCase() === asked.toLowerCase() ? [value] : []));
}

/** Largest head in bytes. No server accepts a larger one. */
const longestHead = 64 * 1024;
