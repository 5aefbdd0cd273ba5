/** Real connections of the client: how many, what is known of one that fails, certificates, proxies. */
import { writeFileSync } from 'node:fs';
import { createServer as createSocketServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../src/api/connection.ts';
import { NetworkFailure, type ApiRequest } from '../../src/api/send.ts';
import type { IdportEvent } from '../../src/events.ts';
import { createTestFolder } from '../support/folder.ts';
import {
  closedAddress,
  listenHere,
  serveHere,
  serveProxyHere,
  serveTlsHere,
} from '../support/local-server.ts';
import { aRequest } from '../support/script.ts';

function open(url: string, env: Record<string, string> = {}) {
  const events: IdportEvent[] = [];
  const connection = connect({ url, env, connections: 4, emit: (event) => events.push(event) });
  onTestFinished(() => connection.close());
  const send = (more: Partial<ApiRequest> = {}) => connection.send(aRequest({ url, ...more }));
  return { send, events };
}

async function failureOf(url: string, more: Partial<ApiRequest> = {}, env: Record<string, string> = {}) {
  const error = await open(url, env)
    .send(more)
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof NetworkFailure)) throw new Error(`no NetworkFailure: ${String(error)}`);
  return error;
}

const serveText = (text: string, status = 200) =>
  serveHere((_, response) => response.writeHead(status).end(text));
const serveHalf = () =>
  serveHere((_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half of it');
    setTimeout(() => response.destroy(), 20);
  });
const readAll = async (body: AsyncIterable<Uint8Array>) => {
  for await (const block of body) void block;
};
const fails = (message: string) => async () => {
  throw new Error(message);
};

it('connect does not follow redirects', async () => {
  const url = await serveHere((_, response) =>
    response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
  );
  expect(await open(url).send()).toMatchObject({ status: 302 });
});

it('connect streams a long answer to its receiver', async () => {
  let size = 0;
  const receive = async (body: AsyncIterable<Uint8Array>) => {
    for await (const block of body) size += block.length;
  };
  const { text } = await open(await serveText('x'.repeat(1_000_000))).send({ receive });
  expect({ size, text }).toEqual({ size: 1_000_000, text: '' });
});

it('connect does not stream a refusal, and passes on errors of the receiver', async () => {
  const refused = open(await serveText('no', 403)).send({ receive: fails('must not be called') });
  expect(await refused).toMatchObject({ status: 403, text: 'no' });
  const taken = open(await serveText('some bytes')).send({ receive: fails('disk is full') });
  await expect(taken).rejects.toThrow('disk is full');
});

it('connect opens the allowed number of connections, each with one request at a time', async () => {
  const running = new Map<number, number>();
  let most = 0;
  const url = await serveHere(({ socket: { remotePort = 0 } }, response) => {
    const here = (running.get(remotePort) ?? 0) + 1;
    running.set(remotePort, here);
    most = Math.max(most, here);
    setImmediate(() => {
      running.set(remotePort, here - 1);
      response.end();
    });
  });
  const { send } = open(url);
  const responses = await Promise.all(Array.from({ length: 50 }, () => send()));
  expect(responses.map(({ status }) => status)).toEqual(Array<number>(50).fill(200));
  expect([running.size, most]).toEqual([4, 1]);
});

it.each([
  ['before anything was sent', closedAddress, {}, { stage: 'connect', code: 'ECONNREFUSED' }],
  ['by a reset', () => serveHere(({ socket }) => socket.destroy()), {}, { stage: 'response' }],
  ['in the middle of an answer', serveHalf, {}, { stage: 'response' }],
  ['in the middle of a received answer', serveHalf, { receive: readAll }, { stage: 'response' }],
  [
    'by another protocol',
    () => serveHere(({ socket }) => socket.end('SSH-2.0-OpenSSH_9\r\n')),
    {},
    { stage: 'response', message: 'the response is not HTTP' },
  ],
  [
    'by silence',
    () => serveHere(() => {}),
    { timeout: 50 },
    { stage: 'response', code: 'UND_ERR_HEADERS_TIMEOUT' },
  ],
])('a network failure %s reports its stage', async (_, serve, request, failure) => {
  expect(await failureOf(await serve(), request)).toMatchObject(failure);
});

it('stopping aborts a safe call and waits for an unsafe one', async () => {
  const url = await serveHere((_, response) => void setTimeout(() => response.end('done'), 60));
  const stop = new AbortController();
  const safe = open(url).send({ repeat: 'safe', signal: stop.signal });
  const unsafe = open(url).send({ repeat: 'unsafe', signal: stop.signal });
  setTimeout(() => stop.abort(new Error('enough')), 20);
  await expect(safe).rejects.toThrow('enough');
  expect(await unsafe).toMatchObject({ text: 'done' });
});

/** A service whose certificate is trusted by the environment that comes with it. */
async function serveTrusted(): Promise<{ url: string; env: Record<string, string> }> {
  const { url, cert } = await serveTlsHere((_, response) => response.end('private'));
  const path = join(createTestFolder(), 'ca.pem');
  writeFileSync(path, cert);
  return { url, env: { SSL_CERT_FILE: path } };
}

it('certificates of an unknown authority are refused before anything is sent unless SSL_CERT_FILE trusts it', async () => {
  const { url, env } = await serveTrusted();
  const refused = { stage: 'trust', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' };
  expect(await failureOf(url)).toMatchObject(refused);
  expect(await open(url, env).send()).toMatchObject({ text: 'private' });
});

it('certificates that cannot be read are reported with their variable', () => {
  expect(() => open('https://id.example', { SSL_CERT_FILE: '/no/such/file' })).toThrow(
    'SSL_CERT_FILE names a file that cannot be read: /no/such/file',
  );
});

it.each([
  ['https://id.example', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, ['api:tls-not-verified']],
  ['http://id.example', {}, ['api:no-tls']],
  ['http://localhost:8080', {}, []],
  ['http://127.0.0.1:8080', {}, []],
  ['http://[::1]:8080', {}, []],
])('certificates that are not checked cause a warning: %s with %j', (url, env, codes) => {
  expect(open(url, env).events).toMatchObject(codes.map((code) => ({ level: 'warning', code })));
});

describe('a proxy', () => {
  const service = 'https://id.example';

  it.each([
    'proxy.corp:3128',
    'http://proxy.corp:3128',
    'https://user:pass@proxy.corp/',
    'http://user:50%25@proxy.corp',
  ])('is accepted as %s', (proxy) => {
    expect(() => open(service, { HTTPS_PROXY: proxy })).not.toThrow();
  });

  it.each([
    'socks5://127.0.0.1:9',
    'http://',
    'a b',
    'http://user:50%x@proxy.corp',
    'http://user:1#x@proxy.corp',
  ])('is refused as %s', (proxy) => {
    const message = 'http_proxy is not the address of an HTTP proxy';
    expect(() => open(service, { http_proxy: proxy })).toThrow(message);
  });

  it('of the environment is used', async () => {
    const { url, env } = await serveTrusted();
    const { proxy, asked } = await serveProxyHere();
    expect(await open(url, { HTTPS_PROXY: proxy, ...env }).send()).toMatchObject({ text: 'private' });
    expect(asked).toEqual([new URL(url).host]);
  });

  it.each([
    [service, 'a,*'],
    ['http://127.0.0.1:9', 'a, *.0.1'],
    ['https://[::1]', '.example ::1'],
  ])('is not used for %s with NO_PROXY=%s, even if it is none of HTTP', (url, list) => {
    expect(() => open(url, { ALL_PROXY: 'socks5://a:1', NO_PROXY: list })).not.toThrow();
  });

  it('is used if NO_PROXY names other hosts', () => {
    const env = { ALL_PROXY: 'socks5://a:1', NO_PROXY: 'd.example' };
    expect(() => open(service, env)).toThrow('ALL_PROXY');
  });

  it('that refuses is named, and nothing is sent', async () => {
    const { proxy } = await serveProxyHere(true);
    expect(await failureOf(service, {}, { HTTPS_PROXY: proxy })).toMatchObject({
      stage: 'connect',
      code: 'PROXY',
      message: `the proxy ${proxy} (HTTPS_PROXY) refuses to connect: 407`,
    });
  });

  it.each([
    ['https://id.example/', 'HTTPS_PROXY'],
    ['https://id.example/', 'https_proxy'],
    ['https://id.example/', 'HTTP_PROXY'],
    ['http://id.example/', 'http_proxy'],
    ['https://id.example/', 'ALL_PROXY'],
  ])('that is down on the way to %s is named with %s and without its credentials', async (url, variable) => {
    const dead = await closedAddress();
    const env = { [variable]: dead.replace('//', '//ann:secret@') };
    expect(await failureOf(url, {}, env)).toMatchObject({
      stage: 'connect',
      code: 'PROXY_ECONNREFUSED',
      message: `the proxy ${dead} (${variable}) does not connect: nothing listens at this address`,
    });
  });

  it('with an unknown host name is named', async () => {
    const { code, message } = await failureOf(service, {}, { HTTPS_PROXY: 'proxy.invalid:3128' });
    expect(code).toMatch(/^PROXY_(?:ENOTFOUND|EAI_AGAIN)$/);
    expect(message).toContain('the proxy http://proxy.invalid:3128 (HTTPS_PROXY)');
  });

  it('with an untrusted certificate is named', async () => {
    const { url } = await serveTlsHere(() => {});
    const failure = { stage: 'trust', message: /^the proxy https:\/\/localhost/ };
    expect(await failureOf(service, {}, { HTTPS_PROXY: url })).toMatchObject(failure);
  });
});

it('connect sends no request twice on a connection that closed while idle', async () => {
  let requests = 0;
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      requests += 1;
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      socket.end();
    });
  });
  const { send } = open(await listenHere(server));
  const outcomes = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const end = await send({ repeat: 'unsafe' }).catch((error: NetworkFailure) => error);
    // Whether the end of the connection is seen before the next request is a matter of microseconds.
    outcomes.add(end instanceof NetworkFailure ? end.stage : end.text);
  }
  expect([...outcomes].filter((outcome) => outcome !== 'response')).toEqual(['ok']);
  expect(requests).toBeLessThanOrEqual(20);
});
