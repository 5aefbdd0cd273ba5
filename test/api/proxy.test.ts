import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { connect } from '../../src/api/connection.ts';
import { aRequest } from '../support/script.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closers.splice(0).reverse()) await close();
});

it('that takes the connection and never answers is given up after ten seconds and named; nothing was sent', async () => {
  // Before undici sets its first timer, which all others go by.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = 'https://id.example';
  const connection = connect({ url, env: { HTTPS_PROXY: proxy }, connections: 1, emit: () => undefined });
  closers.push(
    () => server.close(),
    () => connection.close(),
  );
  const asked = once(server, 'connect');
  let end: unknown;
  const over = connection.send(aRequest({ url, timeout: 60_000 })).catch((error: unknown) => (end = error));
  const [, socket] = (await asked) as [unknown, Socket];
  closers.push(() => socket.destroy());
  await vi.advanceTimersByTimeAsync(9000);
  expect(end).toBeUndefined();
  await vi.advanceTimersByTimeAsync(3000);
  await over;
  expect(end).toMatchObject({
    stage: 'connect',
    code: 'PROXY_UND_ERR_HEADERS_TIMEOUT',
    message: `the proxy ${proxy} (HTTPS_PROXY) does not connect: no response in time`,
  });
});
