/** The socket: what ends by itself, what is waited for, what a fault does to a real connection. */
import { connect } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import {
  createReferenceServer,
  type InspectableServer,
  type ReferenceServerOptions,
} from '../../src/server/index.ts';
import type { Listening, ListenOptions } from '../../src/server/options.ts';
import { until } from '../support/clock.ts';
import { control } from '../support/instance.ts';

let server: InspectableServer;
afterEach(async () => {
  await server.close();
  vi.unstubAllGlobals();
});

async function start(options: ReferenceServerOptions = {}, where: ListenOptions = {}) {
  server = createReferenceServer({ rate: null, ...options });
  return server.listen(where);
}

/** Sends raw bytes and resolves with everything that came back when the connection has ended. */
function talk({ port }: Listening, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return new Promise((resolve) => {
    let answer = '';
    socket.on('data', (block) => {
      answer += block.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
    socket.write(text);
  });
}

const get = 'GET /debug/healthz HTTP/1.1\r\nHost: a\r\n';
const post = (header: string, body = '') => `POST /v2/users HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n${body}`;
const inChunks = 'Transfer-Encoding: chunked';
const padded = (length: number, more = '') => `${get}${more}X: ${'x'.repeat(length)}\r\n\r\n`;
const close = 'Connection: close\r\n';
const large = `{"a":"${'x'.repeat(1992)}"}`;
const quick: ListenOptions = { limits: { headers: 60, request: 80, idle: 40, check: 10 } };
const [inTime, tooLong] = [/^(?:HTTP\/1\.1 408 .*)?/s, /^HTTP\/1\.1 413/];

it.each<[string, string, RegExp, ListenOptions?, ReferenceServerOptions?]>([
  ['headers that never end', get, inTime, quick],
  ['a body that never comes', post('Content-Length: 5', '{'), inTime, quick],
  ['chunks that stop', post(inChunks, '1\r\n{\r\n'), inTime, quick],
  ['a connection that it no longer uses', `${get}\r\n`, /^HTTP\/1\.1 200/, quick],
  ['a connection on which nothing moves', post('Content-Length: 9'), /^$/, { limits: { silent: 50 } }],
  ['15 KiB of headers', padded(15 * 1024, close), /^HTTP\/1\.1 200/],
  ['17 KiB of headers', padded(17 * 1024, close), /^HTTP\/1\.1 431/],
  ['more than 64 MiB', post(`Content-Length: ${64 * 1024 * 1024 + 1}`), tooLong],
  ['a body over the limit', post('Content-Length: 2000', large), tooLong, {}, { maxBody: 1000 }],
  ['chunks over the limit', post(inChunks, `7d0\r\n${large}\r\n0\r\n\r\n`), tooLong, {}, { maxBody: 1000 }],
])(
  'a slow or oversized client with %s gets an error or is disconnected',
  async (_, text, answer, where, options) => {
    expect(await talk(await start(options, where), text)).toMatch(answer);
  },
);

it('a slow or oversized client with chunks below the limit is served', async () => {
  const listening = await start({ maxBody: 1000 });
  expect(listening.url).toBe(`http://127.0.0.1:${listening.port}`);
  const head = `${close}Authorization: Bearer ${server.tokens.iamOwner}\r\n${inChunks}`;
  const text = await talk(listening, post(head, '2\r\n{}\r\n0\r\n\r\n'));
  expect(text).toMatch(/^HTTP\/1\.1 200/);
  expect(text).toContain('"totalResult":"4"');
});

it('a gRPC client gets no answer, but a line says why', async () => {
  const logged: string[] = [];
  const listening = await start({ onLog: (line) => logged.push(line) });
  expect(await talk(listening, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/);
  expect(logged[0]).toContain('gRPC');
});

const addFault = ({ url }: Listening, fault: object) => control({ server, url }, 'POST faults', fault);

it('close answers running requests and accepts no new ones', async () => {
  const listening = await start();
  const { url } = listening;
  await addFault(listening, { delay: 100, times: 1 });
  const health = () => fetch(`${url}/debug/healthz`);
  const running = health();
  await until(async () => (await control({ server, url }, 'GET faults')).faults[0].hit === 1);
  const closed = server.close();
  expect((await running).status).toBe(200);
  await closed;
  await expect(health()).rejects.toThrow('fetch failed');
});

it('faults and limits on a real connection close it before the answer', async () => {
  const listening = await start();
  await addFault(listening, { path: '/debug/healthz', reset: true, times: 1 });
  expect(await talk(listening, `${get}\r\n`)).toBe('');
  expect((await fetch(`${listening.url}/debug/healthz`)).status).toBe(200);
});

it.each([
  ['among others', false],
  ['of its own, with the faster Response', true],
])(
  'faults and limits on a real connection close it in the middle of the body, in a process %s',
  async (_, ownProcess) => {
    // Put back afterwards: the adapter replaces both.
    vi.stubGlobal('Request', Request);
    vi.stubGlobal('Response', Response);
    const listening = await start({}, { ownProcess });
    await addFault(listening, { path: '/.well-known/*', half: true });
    const text = await talk(
      listening,
      get.replace('/debug/healthz', '/.well-known/openid-configuration') + '\r\n',
    );
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toHaveLength(Math.floor(length / 2));
  },
);
