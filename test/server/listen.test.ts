/** The socket: what ends by itself, what is waited for, what a fault does to a real connection. */
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createReferenceServer,
  type InspectableServer,
  type ReferenceServerOptions,
} from '../../src/server/index.ts';
import type { Listening, ListenOptions } from '../../src/server/options.ts';

let server: InspectableServer;
let socket: Socket | undefined;
afterEach(async () => {
  socket?.destroy();
  await server.close();
  vi.unstubAllGlobals();
});

async function start(options: ReferenceServerOptions = {}, where: ListenOptions = {}): Promise<Listening> {
  server = createReferenceServer({ rate: null, ...options });
  return server.listen(where);
}

/** Sends raw bytes and resolves with everything that came back when the connection has ended. */
function talk(port: number, ...texts: string[]): Promise<string> {
  const one = connect(port, '127.0.0.1');
  socket = one;
  return new Promise((resolve) => {
    let answer = '';
    one.on('data', (block) => {
      answer += block.toString();
    });
    one.on('error', () => {});
    one.on('close', () => resolve(answer));
    for (const text of texts) one.write(text);
  });
}

const get = 'GET /debug/healthz HTTP/1.1\r\nHost: a\r\n';
const quick: ListenOptions = { limits: { headers: 60, request: 80, idle: 40, check: 10 } };

describe('a client that is slow or endless', () => {
  it.each([
    ['headers that never end', get],
    ['a body that never comes', `POST /v2/users HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n{`],
    [
      'chunks that stop',
      `POST /v2/users HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
    ],
  ])('with %s is cut off', async (_, text) => {
    const { port } = await start({}, quick);
    expect(await talk(port, text)).toMatch(/^(?:HTTP\/1\.1 408 .*)?/s);
  });

  it('with a connection that it no longer uses is cut off', async () => {
    const { port } = await start({}, quick);
    expect(await talk(port, `${get}\r\n`)).toMatch(/^HTTP\/1\.1 200/);
  });

  it('on a connection on which nothing moves any more is cut off', async () => {
    const { port } = await start({}, { limits: { silent: 50 } });
    expect(await talk(port, 'POST /v2/users HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n')).toBe('');
  });

  it('with headers over the limit gets a 431', async () => {
    const { port } = await start({}, { limits: { headerBytes: 2000 } });
    expect(await talk(port, `${get}X: ${'x'.repeat(3000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431/);
  });

  it('takes 15 KiB of headers and no 17 KiB, and no 64 MiB and a byte of a body', async () => {
    const { port } = await start();
    const padded = (kib: number): string => `${get}Connection: close\r\nX: ${'x'.repeat(kib * 1024)}\r\n\r\n`;
    expect(await talk(port, padded(15))).toMatch(/^HTTP\/1\.1 200/);
    expect(await talk(port, padded(17))).toMatch(/^HTTP\/1\.1 431/);
    const head = `POST /v2/users HTTP/1.1\r\nHost: a\r\nContent-Length: ${64 * 1024 * 1024 + 1}\r\n\r\n`;
    expect(await talk(port, head)).toMatch(/^HTTP\/1\.1 413/);
  });

  it.each([
    ['announced', 'Content-Length: 2000', `{"a":"${'x'.repeat(1992)}"}`],
    ['in chunks', 'Transfer-Encoding: chunked', `7d0\r\n{"a":"${'x'.repeat(1992)}"}\r\n0\r\n\r\n`],
  ])('with a body over the limit, %s, gets a 413', async (_, header, body) => {
    const { port } = await start({ maxBody: 1000 });
    const head = `POST /v2/users HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`;
    expect(await talk(port, head + body)).toMatch(/^HTTP\/1\.1 413/);
  });

  it('in chunks below the limit is read as any other', async () => {
    const { url, port } = await start({ maxBody: 1000 });
    expect(url).toBe(`http://127.0.0.1:${port}`);
    const head = `POST /v2/users HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${server.tokens.iamOwner}\r\n`;
    const text = await talk(port, `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 200/);
    expect(text).toContain('"totalResult":"4"');
  });
});

describe('closing', () => {
  it('answers what runs first, and takes nothing new', async () => {
    const { url } = await start();
    const control = { authorization: `Bearer ${server.controlToken}`, 'content-type': 'application/json' };
    await fetch(`${url}/_idport/faults`, {
      method: 'POST',
      headers: control,
      body: '{"delay":100,"times":1}',
    });
    const running = fetch(`${url}/debug/healthz`);
    await until(async () => {
      const answer = await fetch(`${url}/_idport/faults`, { headers: control });
      const { faults } = (await answer.json()) as { faults: [{ hit: number }] };
      return faults[0].hit === 1;
    });
    const closed = server.close();
    expect((await running).status).toBe(200);
    await closed;
    await expect(fetch(`${url}/debug/healthz`)).rejects.toThrow('fetch failed');
  });
});

describe('a port', () => {
  it('that is taken is told with its number', async () => {
    const { port } = await start();
    const second = createReferenceServer();
    await expect(second.listen({ port })).rejects.toThrow(`127.0.0.1:${port} is in use by another program`);
    await second.close();
  });
});

describe('faults on a real connection', () => {
  it('cut it before anything was answered', async () => {
    const { url, port } = await start();
    await addFault(url, { path: '/debug/healthz', reset: true, times: 1 });
    expect(await talk(port, `${get}\r\n`)).toBe('');
    expect((await fetch(`${url}/debug/healthz`)).status).toBe(200);
  });

  it.each([
    ['among others', false],
    ['of its own, with the faster Response', true],
  ])('cut it in the middle of the body, in a process %s', async (_, ownProcess) => {
    // Put back afterwards: the adapter replaces both.
    vi.stubGlobal('Request', Request);
    vi.stubGlobal('Response', Response);
    const { url, port } = await start({}, { ownProcess });
    await addFault(url, { path: '/.well-known/*', half: true });
    const text = await talk(port, 'GET /.well-known/openid-configuration HTTP/1.1\r\nHost: a\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
    const body = text.slice(text.indexOf('\r\n\r\n') + 4);
    expect(body.length).toBe(Math.floor(length / 2));
  });

  it('come by address: each has a count of its own', async () => {
    const { url } = await start({ rate: 0.1 });
    for (let i = 0; i < 6; i++) await fetch(`${url}/debug/healthz`);
    expect((await fetch(`${url}/debug/healthz`)).status).toBe(429);
  });
});

async function addFault(url: string, fault: object): Promise<void> {
  const headers = { authorization: `Bearer ${server.controlToken}` };
  const answer = await fetch(`${url}/_idport/faults`, {
    method: 'POST',
    headers,
    body: JSON.stringify(fault),
  });
  expect(answer.status).toBe(201);
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
