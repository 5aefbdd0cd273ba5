import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatSavedRequest, headerOf, parseSavedRequest } from '../../src/webhooks/saved-request.ts';

const call = {
  method: 'POST',
  path: '/hook?x=1',
  headers: [
    ['Host', 'localhost:8080'],
    ['Zitadel-Signature', 't=1,v1=00'],
  ] as [string, string][],
  body: Buffer.from('{"a":1}'),
  receivedAt: Date.UTC(2026, 0, 31),
};
const parse = (text: string) => parseSavedRequest(Buffer.from(text));

it('a saved request is a plain HTTP message', () => {
  expect(Buffer.from(formatSavedRequest(call)).toString()).toBe(
    'POST /hook?x=1 HTTP/1.1\r\nHost: localhost:8080\r\nZitadel-Signature: t=1,v1=00\r\n' +
      'Content-Length: 7\r\nIdport-Received: 2026-01-31T00:00:00.000Z\r\n\r\n{"a":1}',
  );
});

it('a saved request keeps any body byte for byte and the order of headers', () => {
  const name = fc.constantFrom('A', 'x-y', 'Zitadel-Signature', 'COOKIE');
  const value = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/);
  fc.assert(
    fc.property(fc.uint8Array(), fc.array(fc.tuple(name, value)), (bytes, headers) => {
      const back = parseSavedRequest(formatSavedRequest({ ...call, headers, body: bytes }));
      expect(Buffer.from(back?.body ?? []).equals(bytes)).toBe(true);
      expect(back?.headers.slice(0, headers.length)).toEqual(headers);
      expect(back).toMatchObject({ method: 'POST', path: '/hook?x=1', receivedAt: call.receivedAt });
    }),
    { numRuns: 100 },
  );
});

it('a saved request has the length of a chunked call as its framing', () => {
  const headers: [string, string][] = [['Transfer-Encoding', 'chunked']];
  const back = parseSavedRequest(formatSavedRequest({ ...call, headers, receivedAt: undefined }));
  expect(back?.headers).toEqual([['Content-Length', '7']]);
  expect(back?.receivedAt).toBeUndefined();
});

it('a saved request is read without an exception from any bytes', () => {
  const piece = fc.constantFrom('POST / HTTP/1.1', 'A: b', '\r\n', '\n', '\r', ':', '\u0000', '{}', ' ');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (parts) => {
      const text = parts.join('');
      const back = parse(text);
      expect(back === undefined || text.endsWith(Buffer.from(back.body).toString())).toBe(true);
    }),
    { numRuns: 300 },
  );
});

it('a saved request may have line ends of an editor and repeated headers', () => {
  const back = parse('POST / HTTP/1.1\nA: 1\na:2 \n\nline\r\n\r\nnext');
  expect(back?.headers).toEqual([
    ['A', '1'],
    ['a', '2'],
  ]);
  expect(headerOf(back?.headers ?? [], 'A')).toEqual(['1', '2']);
  expect(Buffer.from(back?.body ?? []).toString()).toBe('line\r\n\r\nnext');
});

it.each(['', '{"a":1}', 'POST /\r\n\r\n', 'POST / HTTP/1.1\r\nno colon\r\n\r\n', 'POST / HTTP/1.1\r\nA: 1'])(
  'a saved request is not read from %j',
  (text) => {
    expect(parse(text)).toBeUndefined();
  },
);
