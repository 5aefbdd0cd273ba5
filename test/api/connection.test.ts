import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect as connectSocket, createServer as createSocketServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { connect } from '../../src/api/connection.ts';
import { NetworkFailure } from '../../src/api/network.ts';
import type { ApiRequest, Send } from '../../src/api/send.ts';
import type { IdportEvent } from '../../src/events.ts';
import { selfSigned } from '../support/certificate.ts';
import { createTestFolder } from '../support/folder.ts';
import { aRequest } from '../support/script.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}

async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}`;
}

function open(url: string, env: Record<string, string> = {}): { send: Send; events: IdportEvent[] } {
  const events: IdportEvent[] = [];
  const connection = connect({ url, env, connections: 4, emit: (event) => events.push(event) });
  closers.push(() => connection.close());
  return { send: connection.send, events };
}

async function failureOf(url: string, overrides: Partial<ApiRequest> = {}): Promise<NetworkFailure> {
  const { send } = open(url);
  const error = await send(aRequest({ url, ...overrides })).catch((thrown: unknown) => thrown);
  if (!(error instanceof NetworkFailure)) throw new Error(`no NetworkFailure: ${String(error)}`);
  return error;
}

describe('an exchange', () => {
  it('does not follow redirects, so that the token goes nowhere else', async () => {
    const url = await serve((_, response) => {
      response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
    });
    expect(await open(url).send(aRequest({ url }))).toMatchObject({ status: 302 });
  });

  it('hands a long answer on as it comes', async () => {
    const url = await serve((_, response) => {
      for (let i = 0; i < 100; i++) response.write('x'.repeat(10_000));
      response.end();
    });
    let size = 0;
    const answer = await open(url).send(
      aRequest({
        url,
        receive: async (body) => {
          for await (const block of body) size += block.length;
        },
      }),
    );
    expect({ size, text: answer.text }).toEqual({ size: 1_000_000, text: '' });
  });

  it('keeps the words of a refusal from the receiver of an answer', async () => {
    const url = await serve((_, response) => void response.writeHead(403).end('no'));
    const receive = async (): Promise<void> => {
      throw new Error('must not be called');
    };
    expect(await open(url).send(aRequest({ url, receive }))).toMatchObject({ status: 403, text: 'no' });
  });

  it('lets the error of a receiver through as it is', async () => {
    const url = await serve((_, response) => void response.end('some bytes'));
    const receive = async (body: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const block of body) if (block.length > 0) throw new Error('disk is full');
    };
    await expect(open(url).send(aRequest({ url, receive }))).rejects.toThrow('disk is full');
  });
});

describe('connections', () => {
  /** Notes the client's port of each request, and the most requests at a time on one connection. */
  async function serveSlowly(): Promise<{ url: string; ports: Set<number>; most: () => number }> {
    const running = new Map<number, number>();
    let most = 0;
    const url = await serve((request, response) => {
      const { remotePort = 0 } = request.socket;
      const here = (running.get(remotePort) ?? 0) + 1;
      running.set(remotePort, here);
      most = Math.max(most, here);
      setImmediate(() => {
        running.set(remotePort, here - 1);
        response.end();
      });
    });
    return {
      url,
      get ports() {
        return new Set(running.keys());
      },
      most: () => most,
    };
  }

  it('are as many as allowed, with one request on each of them at a time', async () => {
    const service = await serveSlowly();
    const { send } = open(service.url);
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => send(aRequest({ url: service.url }))),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array<number>(50).fill(200));
    expect(service.ports.size).toBe(4);
    expect(service.most()).toBe(1);
  });
});

describe('a network failure', () => {
  it('before anything was sent is reported as such', async () => {
    const unused = await serve(() => {});
    await closers.pop()?.();
    expect(await failureOf(unused)).toMatchObject({ stage: 'connect', code: 'ECONNREFUSED' });
  });

  it('after sending leaves open what was done', async () => {
    const resets = await serve((request) => request.socket.destroy());
    expect(await failureOf(resets)).toMatchObject({ stage: 'response' });
    const half = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half of it');
      setTimeout(() => response.destroy(), 20);
    });
    expect(await failureOf(half)).toMatchObject({ stage: 'response' });
    const silent = await serve(() => {});
    expect(await failureOf(silent, { timeout: 50 })).toMatchObject({
      stage: 'response',
      code: 'UND_ERR_HEADERS_TIMEOUT',
    });
  });

  it('in the middle of a received answer is still one of the network', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half of it');
      setTimeout(() => response.destroy(), 20);
    });
    const receive = async (body: AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const block of body) void block;
    };
    expect(await failureOf(url, { receive })).toMatchObject({ stage: 'response' });
  });
});

describe('stopping', () => {
  const silence = (): Promise<string> => serve(() => {});

  it('abandons a safe call under way', async () => {
    const url = await silence();
    const stop = new AbortController();
    const answer = open(url).send(aRequest({ url, repeat: 'safe', signal: stop.signal }));
    setTimeout(() => stop.abort(new Error('enough')), 20);
    await expect(answer).rejects.toThrow('enough');
  });

  it('waits for an unsafe one', async () => {
    const url = await serve((_, response) => void setTimeout(() => response.end('done'), 60));
    const stop = new AbortController();
    const answer = open(url).send(aRequest({ url, repeat: 'unsafe', signal: stop.signal }));
    stop.abort(new Error('enough'));
    expect(await answer).toMatchObject({ text: 'done' });
  });
});

describe('certificates', () => {
  async function serveTls(): Promise<{ url: string; cert: string }> {
    const { cert, key } = selfSigned();
    const server = createTlsServer({ cert, key }, (_, response) => void response.end('private'));
    return { url: `https://localhost:${await listen(server)}`, cert };
  }

  function fileWith(text: string): string {
    const path = join(createTestFolder(), 'ca.pem');
    writeFileSync(path, text);
    return path;
  }

  it('of an unknown authority are refused, before anything is sent', async () => {
    const { url } = await serveTls();
    expect(await failureOf(url)).toMatchObject({ stage: 'trust', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  });

  it('of an own authority are trusted through SSL_CERT_FILE', async () => {
    const { url, cert } = await serveTls();
    const { send } = open(url, { SSL_CERT_FILE: fileWith(cert) });
    expect(await send(aRequest({ url }))).toMatchObject({ text: 'private' });
  });

  it('that cannot be read are named with their variable', () => {
    expect(() => open('https://id.example', { SSL_CERT_FILE: '/no/such/file' })).toThrow(
      'SSL_CERT_FILE names a file that cannot be read: /no/such/file',
    );
  });

  it('cannot be left unchecked in silence', () => {
    const { events } = open('https://id.example', { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect(events).toMatchObject([{ level: 'warning', code: 'api:tls-not-verified' }]);
  });
});

describe('the address of a proxy', () => {
  it.each(['proxy.corp:3128', 'http://proxy.corp:3128', 'https://user:pass@proxy.corp'])(
    'may be %s',
    (proxy) => {
      expect(() => open('https://id.example', { HTTPS_PROXY: proxy })).not.toThrow();
    },
  );

  it.each(['socks5://127.0.0.1:9', 'http://', 'a b'])(
    'that is none (%s) is named with its variable',
    (proxy) => {
      expect(() => open('https://id.example', { http_proxy: proxy })).toThrow(
        'http_proxy is not the address of an HTTP proxy',
      );
    },
  );
});

describe('an address without TLS', () => {
  it('is warned of, unless it is this machine', () => {
    expect(open('http://id.example').events).toMatchObject([{ code: 'api:no-tls' }]);
    expect(open('http://localhost:8080').events).toEqual([]);
    expect(open('http://127.0.0.1:8080').events).toEqual([]);
    expect(open('http://[::1]:8080').events).toEqual([]);
  });
});

describe('a proxy', () => {
  /** Speaks CONNECT alone and writes down where to. */
  async function serveProxy(refuse = false): Promise<{ proxy: string; asked: string[] }> {
    const asked: string[] = [];
    const server = createServer();
    server.on('connect', (request, client) => {
      asked.push(request.url ?? '');
      if (refuse) {
        client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      const [host, port] = (request.url ?? '').split(':');
      const upstream = connectSocket(Number(port), host ?? '', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(client);
        client.pipe(upstream);
      });
      upstream.on('error', () => client.destroy());
      client.on('error', () => upstream.destroy());
    });
    server.on('request', (request, response) => {
      asked.push(request.url ?? '');
      response.end('through the proxy');
    });
    return { proxy: `http://127.0.0.1:${await listen(server)}`, asked };
  }

  it('of the environment is used', async () => {
    const { cert, key } = selfSigned();
    const server = createTlsServer({ cert, key }, (_, response) => void response.end('private'));
    const url = `https://localhost:${await listen(server)}`;
    const trusted = join(createTestFolder(), 'ca.pem');
    writeFileSync(trusted, cert);
    const { proxy, asked } = await serveProxy();
    const { send } = open(url, { HTTPS_PROXY: proxy, SSL_CERT_FILE: trusted });
    expect(await send(aRequest({ url }))).toMatchObject({ text: 'private' });
    expect(asked).toEqual([new URL(url).host]);
  });

  it('is passed by for the hosts of NO_PROXY', async () => {
    const url = await serve((_, response) => void response.end('straight'));
    const { proxy, asked } = await serveProxy();
    const { send } = open(url, { HTTP_PROXY: proxy, NO_PROXY: '127.0.0.1' });
    expect(await send(aRequest({ url }))).toMatchObject({ text: 'straight' });
    expect(asked).toEqual([]);
  });

  it('that refuses is named, and nothing was sent', async () => {
    const { proxy } = await serveProxy(true);
    const { send } = open('https://id.example', { HTTPS_PROXY: proxy });
    await expect(send(aRequest({ url: 'https://id.example/' }))).rejects.toMatchObject({
      stage: 'connect',
      code: 'PROXY',
      message: `the proxy ${proxy} (HTTPS_PROXY) refuses to connect: 407`,
    });
  });

  /** Failures of a service at a made-up address, behind a proxy that is no good. */
  async function failureBehind(url: string, env: Record<string, string>): Promise<NetworkFailure> {
    const error = await open(url, env)
      .send(aRequest({ url }))
      .catch((thrown: unknown) => thrown);
    if (!(error instanceof NetworkFailure)) throw new Error(`no NetworkFailure: ${String(error)}`);
    return error;
  }

  it.each([
    ['https://id.example/', 'HTTPS_PROXY'],
    ['https://id.example/', 'https_proxy'],
    ['https://id.example/', 'HTTP_PROXY'],
    ['http://id.example/', 'http_proxy'],
  ])('that is dead on the way to %s is named, with %s and without its credentials', async (url, variable) => {
    const port = await listen(createServer());
    await closers.pop()?.();
    const failure = await failureBehind(url, { [variable]: `http://ann:secret@127.0.0.1:${port}` });
    expect(failure).toMatchObject({
      stage: 'connect',
      code: 'PROXY_ECONNREFUSED',
      message: `the proxy http://127.0.0.1:${port} (${variable}) does not connect: nothing listens at this address`,
    });
  });

  it('whose host name is unknown is named', async () => {
    const failure = await failureBehind('https://id.example', { HTTPS_PROXY: 'proxy.invalid:3128' });
    expect(failure.code).toMatch(/^PROXY_(?:ENOTFOUND|EAI_AGAIN)$/);
    expect(failure.message).toContain('the proxy http://proxy.invalid:3128 (HTTPS_PROXY)');
  });

  it('whose certificate is not trusted is named', async () => {
    const { cert, key } = selfSigned();
    const port = await listen(createTlsServer({ cert, key }));
    const failure = await failureBehind('https://id.example', { HTTPS_PROXY: `https://localhost:${port}` });
    expect(failure).toMatchObject({ stage: 'trust', message: /^the proxy https:\/\/localhost/ });
  });
});

it('sends no request twice on a connection that went away while idle', async () => {
  let requests = 0;
  const server = createSocketServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      requests += 1;
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      socket.end();
    });
  });
  const url = `http://127.0.0.1:${await listen(server as unknown as Server)}`;
  const { send } = open(url);
  const outcomes = new Set<string>();
  for (let i = 0; i < 20; i++) {
    const end = await send(aRequest({ url, repeat: 'unsafe' })).catch((error: unknown) => error);
    // Whether the end of the connection is seen before the next request is a matter of microseconds.
    outcomes.add(end instanceof NetworkFailure ? end.stage : (end as { text: string }).text);
  }
  expect([...outcomes].filter((outcome) => outcome !== 'response')).toEqual(['ok']);
  expect(requests).toBeLessThanOrEqual(20);
});
