import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createForwarder } from '../../../src/flows/actions/forward.ts';
import { listen, type ListenOptions, type ReceivedCall } from '../../../src/flows/actions/listen.ts';
import { createReplayGuard } from '../../../src/webhooks/replays.ts';
import { signBody } from '../../../src/wire/signature.ts';
import { createFakeClock, type FakeClock } from '../../support/clock.ts';
import { listenHere } from '../../support/local-server.ts';
import { startReceiver } from '../../support/receiver.ts';

const key = 'somekey';
const body = '{"fullMethod":"/service.user.v2.UserService/AddHumanUser","userID":"4"}';
const large = Buffer.alloc(5_000_000, 0x20);

interface Bench {
  readonly url: string;
  readonly calls: ReceivedCall[];
  readonly clock: FakeClock;
  readonly send: (
    content?: string | Uint8Array,
    signature?: string | null,
    method?: string,
  ) => Promise<Response>;
}

async function startBench(changes: Partial<ListenOptions> = {}): Promise<Bench> {
  const clock = createFakeClock();
  const calls: ReceivedCall[] = [];
  const stop = new AbortController();
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    keys: async () => [key],
    tolerance: 300,
    allowFuture: false,
    maxBytes: 4 * 1024 * 1024,
    replays: createReplayGuard(),
    forward: undefined,
    record: undefined,
    status: 200,
    delayMs: 0,
    clock,
    signal: stop.signal,
    onCall: (call) => void calls.push(call),
    ...changes,
  });
  onTestFinished(() => {
    stop.abort();
    return listener.stopped;
  });
  return {
    url: listener.url,
    calls,
    clock,
    send: (content = body, signature = sign(content, 0), method = 'POST') =>
      fetch(listener.url, {
        method,
        headers: signature === null ? {} : { 'zitadel-signature': signature },
        ...(method === 'POST' ? { body: Buffer.from(content) } : {}),
      }),
  };
}

async function startForward(path: string) {
  const receiver = await startReceiver();
  const forward = createForwarder(new URL(`${receiver.url}${path}`), 5000);
  onTestFinished(() => forward.close());
  return { receiver, forward };
}

/** Signed so many seconds before the time at which the clock of the tests stands. */
const sign = (content: string | Uint8Array, age: number, signingKey = key): string =>
  signBody(content, signingKey, Date.UTC(2026, 0, 1) / 1000 - age);

describe('a listener', () => {
  it.each<[string, string, number, Parameters<Bench['send']>]>([
    ['a body of 5 MB', 'too-large', 413, [large, sign(large, 0)]],
    ['another key', 'wrong-key', 500, [body, sign(body, 0, 'other')]],
    ['another method', 'wrong-method', 405, [body, null, 'DELETE']],
  ])('refuses %s: %s', async (_, reason, status, call) => {
    const bench = await startBench();
    const response = await bench.send(...call);
    expect([response.status, await response.json()]).toMatchObject([status, { reason }]);
    expect(bench.calls).toMatchObject([{ verdict: { ok: false, reason }, status }]);
  });

  it('takes every call without keys, and says that it did not check', async () => {
    const bench = await startBench({ keys: undefined });
    expect((await bench.send(body, null)).status).toBe(200);
    expect(bench.calls[0]?.verdict).toBe('unchecked');
  });

  it('refuses calls while its keys cannot be read, and takes them afterwards', async () => {
    let ready = false;
    const bench = await startBench({
      keys: async () => {
        if (!ready) throw new Error('there is no such key file');
        return [key];
      },
    });
    expect((await bench.send()).status).toBe(500);
    ready = true;
    expect((await bench.send()).status).toBe(200);
    expect(bench.calls.map(({ verdict }) => verdict)).toMatchObject([
      { reason: 'no-key', message: 'there is no such key file' },
      { ok: true },
    ]);
  });

  it('refuses a call that has come before, with its header changed as well, and none that failed here', async () => {
    const bench = await startBench({ keys: async () => [key, 'next'] });
    const time = Date.UTC(2026, 0, 1) / 1000;
    const header = signBody(body, [key, 'next'], time);
    expect((await bench.send(body, header)).status).toBe(200);
    const [, , second = ''] = header.split(',');
    for (const again of [header, `t=+${time},${second}`]) {
      const response = await bench.send(body, again);
      expect([response.status, await response.json()]).toMatchObject([500, { reason: 'replayed' }]);
    }
    expect((await bench.send(body, sign(body, 1))).status).toBe(200);
    expect((await bench.send(`${body} `)).status).toBe(200);
    const failing = await startBench({ status: 503 });
    expect([(await failing.send()).status, (await failing.send()).status]).toEqual([503, 503]);
  });

  it('neither records nor forwards a replay', async () => {
    const { receiver, forward } = await startForward('/');
    const recorded: number[] = [];
    const bench = await startBench({
      forward,
      record: async (_, number) => {
        recorded.push(number);
        return 'a file';
      },
    });
    await Promise.all([bench.send(), bench.send(), bench.send()]);
    expect([recorded.length, receiver.calls.length]).toEqual([1, 1]);
    const statuses = bench.calls.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 500, 500]);
  });

  it('answers verified calls with the status and after the delay it was given, refused ones at once', async () => {
    const bench = await startBench({ status: 503, delayMs: 5000 });
    expect((await bench.send(body, null)).status).toBe(500);
    const slow = bench.send();
    while (bench.clock.sleepers === 0) await new Promise(setImmediate);
    expect(bench.calls).toHaveLength(1);
    await bench.clock.advance(5000);
    expect((await slow).status).toBe(503);
  });

  it('shows a call that cannot be recorded all the same', async () => {
    const bench = await startBench({ record: () => Promise.reject(new Error('the disk is full')) });
    expect((await bench.send()).status).toBe(200);
    expect(bench.calls[0]).toMatchObject({ recordProblem: 'the disk is full', recordedAs: undefined });
  });

  it('says in plain words why it cannot start', async () => {
    const { url } = await startBench();
    await expect(startBench({ port: Number(new URL(url).port) })).rejects.toMatchObject({
      code: 'listen:port',
      message: expect.stringMatching(/is in use by another program/),
      hint: expect.stringMatching(/port 0/),
    });
    await expect(startBench({ host: '192.0.2.1' })).rejects.toThrow('is not an address of this machine');
  });
});

describe('forwarding', () => {
  it('passes the raw body and the headers on, and gives the answer back', async () => {
    const { receiver, forward } = await startForward('/dev/hook');
    receiver.answer = (response) => {
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"userId":"7"}');
    };
    const bench = await startBench({ forward });
    const response = await bench.send(`${body} `);
    expect([response.status, await response.json()]).toEqual([201, { userId: '7' }]);
    expect(receiver.calls).toMatchObject([
      {
        method: 'POST',
        path: '/dev/hook',
        body: `${body} `,
        headers: { 'zitadel-signature': sign(`${body} `, 0) },
      },
    ]);
    await bench.send(body, null);
    expect(receiver.calls).toHaveLength(1);
  });

  it('responds with 502 and says why where nothing listens, or nothing responds in time', async () => {
    const silent = createServer(() => {});
    const forward = createForwarder(new URL(await listenHere(silent)), 50);
    onTestFinished(() => forward.close());
    const bench = await startBench({ forward });
    expect((await bench.send()).status).toBe(502);
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
    const response = await bench.send();
    expect(await response.json()).toEqual({
      reason: 'forward-failed',
      message: 'nothing listens at this address',
    });
    expect(bench.calls.map(({ forwardProblem }) => forwardProblem)).toEqual([
      'no response within 0.05 s',
      'nothing listens at this address',
    ]);
  });
});
