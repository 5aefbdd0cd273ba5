/** A proxy that never answers; a separate file, as undici keeps the timers of its first use. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { connect } from '../../src/api/connection.ts';
import { listenHere } from '../support/local-server.ts';
import { aRequest } from '../support/script.ts';

it('a proxy that never answers is given up after ten seconds and named', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = createServer();
  const proxy = await listenHere(server);
  const url = 'https://id.example';
  const connection = connect({ url, env: { HTTPS_PROXY: proxy }, connections: 1, emit: () => undefined });
  onTestFinished(() => connection.close());
  const asked = once(server, 'connect');
  let end: unknown;
  const over = connection.send(aRequest({ url, timeout: 60_000 })).catch((error: unknown) => (end = error));
  const [, socket] = await asked;
  onTestFinished(() => socket.destroy());
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
