import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createTargetCaller,
  type TargetAnswer,
  type TargetCaller,
} from '../../../src/server/actions/call-target.ts';
import { isDeniedHost, lookupAllowed } from '../../../src/server/actions/denied-hosts.ts';
import { startReceiver, type Receiver } from '../../support/receiver.ts';

let receiver: Receiver;
let caller: TargetCaller;
beforeEach(async () => {
  receiver = await startReceiver();
  caller = createTargetCaller({ allowPrivate: true });
});
afterEach(async () => {
  await caller.close();
  await receiver.close();
});

const call = (path = '/', timeout = 5000): Promise<TargetAnswer> =>
  caller.call({ endpoint: receiver.url + path, body: '{"a":1}', signature: 't=1,v1=00', timeout });

describe('the call of a target', () => {
  it('is not repeated when it fails', async () => {
    receiver.answer = (response) => response.writeHead(500).end('no');
    expect(await call()).toEqual({ status: 500, body: 'no' });
    expect(receiver.calls).toHaveLength(1);
  });

  it('ends at the timeout of the target', async () => {
    receiver.answer = () => {};
    expect(await call('/', 50)).toEqual({
      status: undefined,
      problem: `Post "${receiver.url}/": context deadline exceeded`,
    });
  });

  it('says when no one listens, and when the connection breaks', async () => {
    receiver.answer = (response) => response.socket?.destroy();
    expect(await call()).toMatchObject({ status: undefined, problem: expect.stringContaining('EOF') });
    await receiver.close();
    expect(await call()).toMatchObject({ problem: expect.stringContaining('connection refused') });
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
    expect(await call()).toMatchObject({ problem: expect.stringContaining('stopped after 5 redirects') });
    expect(receiver.calls).toHaveLength(6);
  });

  it('takes no answer over 20 MiB', async () => {
    receiver.answer = (response) => response.end(Buffer.alloc(21 * 1024 * 1024, 'x'));
    expect(await call()).toMatchObject({ status: undefined });
  });

  it('goes to no private address unless it is allowed', async () => {
    const careful = createTargetCaller({ allowPrivate: false });
    const answer = await careful.call({ endpoint: receiver.url, body: '{}', signature: '', timeout: 5000 });
    expect(answer).toMatchObject({ problem: expect.stringContaining('denied') });
    expect(receiver.calls).toHaveLength(0);
    await careful.close();
  });
});

describe('hosts of targets', () => {
  it.each([
    'localhost',
    'LOCALHOST.',
    '127.0.0.1',
    '127.255.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.31.0.1',
    '192.168.1.1',
    '198.19.0.1',
    '[::1]',
    '::',
    'fd00::1',
    'fe80::1',
    '::ffff:10.0.0.1',
  ])('%s is denied', async (host) => {
    expect(await isDeniedHost(host)).toBe(true);
  });

  it.each(['8.8.8.8', '100.63.255.255', '172.32.0.1', '198.20.0.1', '2001:db8::1', '::ffff:8.8.8.8'])(
    '%s is allowed',
    async (host) => {
      expect(await isDeniedHost(host)).toBe(false);
    },
  );

  it('a name is judged by all of its addresses, and refused when it has none', async () => {
    const named = (addresses: string[]) => isDeniedHost('hooks.example', () => Promise.resolve(addresses));
    expect(await named(['203.0.113.5'])).toBe(false);
    expect(await named(['203.0.113.5', '10.0.0.5'])).toBe(true);
    expect(await named([])).toBe(true);
    expect(await isDeniedHost('hooks.example', () => Promise.reject(new Error('ENOTFOUND')))).toBe(true);
  });

  it('is judged again when dialling, so that a name cannot change its mind', async () => {
    const error = await new Promise((resolve) => {
      lookupAllowed('localhost', { all: true }, resolve);
    });
    expect(String(error)).toContain('denied');
  });
});
