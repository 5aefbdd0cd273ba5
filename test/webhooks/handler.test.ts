/** The handler of webhook calls: on node:http, on Fetch-style frameworks, and on raw bytes. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import {
  InterruptCall,
  signBody,
  webhookHandler,
  type VerifiedCall,
  type WebhookOptions,
} from '../../src/webhooks/index.ts';
import { until } from '../support/clock.ts';
import { serveHere } from '../support/local-server.ts';

const key = 'somekey';
const seconds = 1_700_000_000;
const payload = '{"fullMethod":"/service.user.v2.UserService/AddHumanUser","userID":"4"}';
const handlerOf = (options: Partial<WebhookOptions> = {}) =>
  webhookHandler({ key, now: () => seconds * 1000, ...options });
const signed = (body: string | Uint8Array, signingKey = key) => ({
  'content-type': 'application/json',
  'zitadel-signature': signBody(body, signingKey, seconds),
});
const call = { method: 'POST', headers: signed(payload), body: payload };

const post = (url: string, body: string | Uint8Array, headers: Record<string, string> = signed(body)) =>
  fetch(url, { method: 'POST', body: Buffer.from(body), headers });

async function refusal(response: Response) {
  const { reason } = (await response.json()) as { reason: unknown };
  return [response.status, reason];
}

describe('the handler on node:http', () => {
  async function start(options: Partial<WebhookOptions> = {}) {
    const calls: VerifiedCall[] = [];
    const refused: string[] = [];
    const { node } = handlerOf({
      onCall: (one) => void calls.push(one),
      onRefused: ({ reason }) => void refused.push(reason),
      ...options,
    });
    return { url: await serveHere(node), calls, refused };
  }

  it('passes on a signed call with its raw bytes and answers an empty 200', async () => {
    const body = Buffer.from(`${payload} \u00e9`, 'latin1');
    const { url, calls } = await start();
    const response = await post(url, body);
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(calls).toMatchObject([{ age: 0, keyIndex: 0 }]);
    expect(Buffer.from(calls[0]!.body).equals(body)).toBe(true);
  });

  it.each<[string, number, string, (url: string) => Promise<Response>]>([
    ['signed with another key', 500, 'wrong-key', (url) => post(url, payload, signed(payload, 'other'))],
    ['without signature', 500, 'missing', (url) => post(url, payload, {})],
    ['of 5 MB', 413, 'too-large', (url) => post(url, Buffer.alloc(5_000_000, 0x20))],
    [
      'of 5 MB in chunks',
      413,
      'too-large',
      (url) => {
        const body = new Blob([Buffer.alloc(5_000_000, 0x20)]).stream();
        return fetch(url, { ...call, body, duplex: 'half' });
      },
    ],
  ])('refuses a call %s with %i, %s', async (_, status, reason, send) => {
    const { url, calls, refused } = await start();
    expect(await refusal(await send(url))).toEqual([status, reason]);
    expect([calls, refused]).toEqual([[], [reason]]);
  });

  it('refuses a call with two signatures', async () => {
    const { url } = await start();
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const value = call.headers['zitadel-signature'];
      const headers = { 'ZITADEL-Signature': [value, value] };
      httpRequest(url, { method: 'POST', headers }, resolve).on('error', reject).end(payload);
    });
    const text = (await answer.toArray()).join('');
    expect([answer.statusCode, JSON.parse(text)]).toMatchObject([500, { reason: 'repeated' }]);
  });

  it('refuses an aborted call and continues', async () => {
    const { url, refused } = await start();
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy());
    await until(() => refused.length > 0);
    expect(refused).toEqual(['incomplete']);
    expect((await post(url, payload)).status).toBe(200);
  });

  it('answers 405 to other methods', async () => {
    const response = await fetch((await start()).url);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  const behind = (middleware: (body: Buffer) => unknown) =>
    serveHere(async (request, response) => {
      Object.assign(request, { body: middleware(Buffer.concat(await request.toArray())) });
      await handlerOf().node(request, response);
    });

  it('accepts raw bytes kept by middleware, as by express.raw(), even of another realm, as in jsdom', async () => {
    const url = await behind((body) => runInNewContext('new Uint8Array(body)', { body }));
    expect((await post(url, payload)).status).toBe(200);
    expect(await refusal(await post(url, payload, signed('another body')))).toEqual([500, 'wrong-key']);
  });

  it('names middleware that parsed the body, as express.json() does', async () => {
    const url = await behind((body) => JSON.parse(body.toString()));
    expect(await refusal(await post(url, payload))).toEqual([500, 'body-consumed']);
    const parsed = await handlerOf().receive({ ...call, body: JSON.parse(payload) });
    expect(parsed.body).toContain('"body-consumed"');
  });
});

const throwing = (error: Error) => () => {
  throw error;
};

describe('the callback of the handler', () => {
  it.each([
    ['is answered as JSON', () => ({ userId: '7' }), '{"userId":"7"}'],
    ['may come later, and may be null', async () => null, 'null'],
    [
      'interrupts the triggering call in the form of the service',
      throwing(new InterruptCall(403, 'not on the list')),
      '{"forwardedStatusCode":403,"forwardedErrorMessage":"not on the list"}',
    ],
  ])('%s', async (_, onCall, body) => {
    expect(await handlerOf({ onCall }).receive(call)).toMatchObject({ status: 200, body });
  });

  it('answers 500 and logs the error if it fails', async () => {
    const trouble = new Error('canary');
    const onError = vi.fn();
    const { status, body } = await handlerOf({ onCall: throwing(trouble), onError }).receive(call);
    expect([status, body.includes('canary')]).toEqual([500, false]);
    expect(onError.mock.calls).toMatchObject([[trouble]]);
  });

  it.each([
    ['throws', throwing(new Error('no disk'))],
    ['rejects', () => Promise.reject(new Error('no database'))],
  ])('answers as usual if a log %s', async (_, log) => {
    const { receive } = handlerOf({ onCall: throwing(new Error('canary')), onError: log, onRefused: log });
    expect((await receive({ ...call, headers: {} })).body).toContain('"missing"');
    expect((await receive(call)).body).toContain('"handler-failed"');
  });

  it('accepts nothing under a limit that is not a number', async () => {
    const { receive } = handlerOf({ tolerance: Number('5m') });
    expect((await receive(call)).body).toContain('"too-old"');
    expect((await handlerOf({ maxBytes: Number('4 MiB') }).receive(call)).status).toBe(413);
  });
});

it('a repeated call is accepted by default, and refused on request', async () => {
  const plain = handlerOf();
  expect([(await plain.receive(call)).status, (await plain.receive(call)).status]).toEqual([200, 200]);
  const calls: VerifiedCall[] = [];
  const { receive } = handlerOf({ refuseReplays: true, onCall: (one) => void calls.push(one) });
  const answers = await Promise.all([receive(call), receive(call)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 500]);
  expect(JSON.parse(answers[1].body)).toMatchObject({ reason: 'replayed' });
  expect(calls).toMatchObject([{ signatures: [call.headers['zitadel-signature'].slice(16)] }]);
});

it('a repeated call is accepted again after a failure, but not after an interruption', async () => {
  const problems = [new Error('no database'), new InterruptCall(403, 'not on the list')];
  const onCall = () => throwing(problems.shift()!)();
  const { receive } = handlerOf({ refuseReplays: true, onCall });
  for (const reason of ['handler-failed', 'not on the list', 'replayed'])
    expect((await receive(call)).body).toContain(reason);
});

it('the key of the handler may be fetched for each call, to rotate without restart', async () => {
  let current = 'first';
  const { receive } = handlerOf({ key: async () => current });
  const statusOf = async (signingKey: string) =>
    (await receive({ ...call, headers: signed(payload, signingKey) })).status;
  expect(await statusOf('first')).toBe(200);
  current = 'second';
  expect([await statusOf('first'), await statusOf('second')]).toEqual([500, 200]);
});

it('the key of the handler refuses the call and is reported only to the log if it cannot be fetched', async () => {
  const [onError, onRefused] = [vi.fn(), vi.fn()];
  const noKey = () => Promise.reject(new Error('no such file'));
  expect((await handlerOf({ key: noKey, onError, onRefused }).receive(call)).status).toBe(500);
  expect(onRefused.mock.calls).toMatchObject([[{ reason: 'no-key' }]]);
  expect(onError).toHaveBeenCalledTimes(1);
  expect(() => handlerOf({ key: '' })).toThrow('the signing key is empty');
});

const url = 'http://hook.test/hook';

it('the handler on Fetch-style frameworks accepts a signed call and refuses others', async () => {
  const { fetch } = handlerOf({ onCall: ({ userId }) => ({ userId }) });
  const response = await fetch(new Request(url, call));
  expect([response.status, await response.json()]).toEqual([200, { userId: '4' }]);
  expect(await refusal(await fetch(new Request(url, { ...call, headers: {} })))).toEqual([500, 'missing']);
  expect((await fetch(new Request(url))).status).toBe(405);
});

it('the handler on Fetch-style frameworks names a body that was already read', async () => {
  const request = new Request(url, call);
  await request.json();
  expect(await refusal(await handlerOf().fetch(request))).toEqual([500, 'body-consumed']);
});
