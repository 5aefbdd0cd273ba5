/** The call of a target: once, in time, to a host that is allowed. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTargetCaller, isDeniedHost, lookupAllowed } from '../../../src/server/actions/call-target.ts';
import { closedAddress } from '../../support/local-server.ts';
import { startReceiver, type Receiver } from '../../support/receiver.ts';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});

function call(path = '/', { timeout = 5000, allowPrivate = true, at = receiver.url } = {}) {
  const caller = createTargetCaller(allowPrivate);
  onTestFinished(() => caller.close());
  return caller.call({ endpoint: at + path, body: '{"a":1}', signature: 't=1,v1=00', timeout });
}
const failed = (problem: string) => ({ status: undefined, problem: expect.stringContaining(problem) });

describe('createTargetCaller', () => {
  it('does not repeat a failed call', async () => {
    receiver.answer = (response) => response.writeHead(500).end('no');
    expect(await call()).toEqual({ status: 500, body: 'no' });
    expect(receiver.calls).toHaveLength(1);
  });

  it('stops at the timeout of the target', async () => {
    receiver.answer = () => {};
    const problem = `Post "${receiver.url}/": context deadline exceeded`;
    expect(await call('/', { timeout: 50 })).toEqual({ status: undefined, problem });
  });

  it('reports a refused and a broken connection', async () => {
    receiver.answer = (response) => response.socket?.destroy();
    expect(await call()).toEqual(failed('EOF'));
    expect(await call('/', { at: await closedAddress() })).toEqual(failed('connection refused'));
  });

  it.each([
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', '{"a":1}'],
    [308, 'POST', '{"a":1}'],
  ])('follows a redirect with %i as %s', async (status, method, body) => {
    receiver.answer = (response, { path }) => {
      if (path === '/new') response.end('there');
      else response.writeHead(status, { location: '/new' }).end();
    };
    expect(await call('/old')).toEqual({ status: 200, body: 'there' });
    expect(receiver.calls[1]).toMatchObject({ method, path: '/new', body });
  });

  it('stops after five redirects', async () => {
    receiver.answer = (response) => response.writeHead(307, { location: '/again' }).end();
    expect(await call()).toEqual(failed('stopped after 5 redirects'));
    expect(receiver.calls).toHaveLength(6);
  });

  it('refuses an answer over 20 MiB', async () => {
    receiver.answer = (response) => response.end(Buffer.alloc(21 * 1024 * 1024, 'x'));
    expect(await call()).toEqual(failed(''));
  });

  it('refuses private addresses by default', async () => {
    expect(await call('/', { allowPrivate: false })).toEqual(failed('denied'));
    expect(receiver.calls).toHaveLength(0);
  });
});

const denied =
  'localhost LOCALHOST. 127.0.0.1 127.255.0.1 0.0.0.0 10.1.2.3 100.64.0.1 169.254.169.254 172.31.0.1 ' +
  '192.168.1.1 198.19.0.1 [::1] :: fd00::1 fe80::1 ::ffff:10.0.0.1';
const allowed = '8.8.8.8 100.63.255.255 172.32.0.1 198.20.0.1 2001:db8::1 ::ffff:8.8.8.8';
it.each([
  ...denied.split(' ').map((host) => [host, true] as const),
  ...allowed.split(' ').map((host) => [host, false] as const),
])('isDeniedHost for %s returns %s', async (host, isDenied) => {
  expect(await isDeniedHost(host)).toBe(isDenied);
});

it.each([
  ['a public address', async () => ['203.0.113.5'], false],
  ['a private one among them', async () => ['203.0.113.5', '10.0.0.5'], true],
  ['none', async () => [], true],
  ['no answer', () => Promise.reject(new Error('ENOTFOUND')), true],
])('isDeniedHost judges a name with %s by all of its addresses', async (_, resolve, isDenied) => {
  expect(await isDeniedHost('hooks.example', resolve)).toBe(isDenied);
});

it('isDeniedHost checks the address again when connecting, against DNS rebinding', async () => {
  const error = await new Promise((resolve) => {
    lookupAllowed('localhost', { all: true }, resolve);
  });
  expect(String(error)).toContain('denied');
});
