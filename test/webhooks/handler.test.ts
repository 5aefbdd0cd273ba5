import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  InterruptCall,
  signBody,
  webhookHandler,
  type VerifiedCall,
  type WebhookOptions,
} from '../../src/webhooks/index.ts';
import { serveHere } from '../support/local-server.ts';

const key = 'somekey';
const seconds = 1_700_000_000;
const now = (): number => seconds * 1000;
const payload = '{"fullMethod":"/service.user.v2.UserService/AddHumanUser","userID":"4"}';
const signed = (body: string | Uint8Array, signingKey = key): Record<string, string> => ({
  'content-type': 'application/json',
  'zitadel-signature': signBody(body, signingKey, seconds),
});

const listen = async (handler: Parameters<typeof serveHere>[0]): Promise<string> =>
  `${await serveHere(handler)}/hook`;

const post = (url: string, body: string | Uint8Array, headers = signed(body)): Promise<Response> =>
  fetch(url, { method: 'POST', body: Buffer.from(body), headers });

async function refusal(response: Response): Promise<[number, unknown]> {
  const { reason } = (await response.json()) as { reason: unknown };
  return [response.status, reason];
}

describe('on node:http', () => {
  const calls: VerifiedCall[] = [];
  const start = (options: Partial<WebhookOptions> = {}): Promise<string> => {
    calls.length = 0;
    return listen(webhookHandler({ key, now, onCall: (call) => void calls.push(call), ...options }).node);
  };

  it('a signed call arrives with its raw bytes, and is answered with an empty 200', async () => {
    const body = `${payload} \u00e9`;
    const response = await post(await start(), Buffer.from(body, 'latin1'));
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(calls).toHaveLength(1);
    expect(Buffer.from(calls[0]?.body ?? []).equals(Buffer.from(body, 'latin1'))).toBe(true);
    expect(calls[0]).toMatchObject({ age: 0, keyIndex: 0 });
  });

  it('a call signed with another key is answered with 500 and never handed on', async () => {
    const refused: unknown[] = [];
    const url = await start({ onRefused: (why) => void refused.push(why) });
    expect(await refusal(await post(url, payload, signed(payload, 'other')))).toEqual([500, 'wrong-key']);
    expect(calls).toEqual([]);
    expect(refused).toMatchObject([{ ok: false, reason: 'wrong-key' }]);
  });

  it('a call without signature, or with a doubled one, is refused', async () => {
    const url = await start();
    expect(await refusal(await post(url, payload, {}))).toEqual([500, 'missing']);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const value = signBody(payload, key, seconds);
      const headers = { 'ZITADEL-Signature': [value, value] };
      httpRequest(url, { method: 'POST', headers }, resolve).on('error', reject).end(payload);
    });
    const text = (await answer.toArray()).join('');
    expect([answer.statusCode, JSON.parse(text)]).toMatchObject([500, { reason: 'repeated' }]);
  });

  it('a body of 5 MB is refused as too large by default, whether its length is announced or not', async () => {
    const large = Buffer.alloc(5_000_000, 0x20);
    const url = await start();
    expect(await refusal(await post(url, large))).toEqual([413, 'too-large']);
    const stream = new Blob([large]).stream();
    const chunked = { method: 'POST', body: stream, headers: signed(large), duplex: 'half' } as RequestInit;
    expect(await refusal(await fetch(url, chunked))).toEqual([413, 'too-large']);
  });

  it('a call that breaks off is refused, and the receiver lives on', async () => {
    const refused: string[] = [];
    let noticed = (): void => {};
    const seen = new Promise<void>((resolve) => (noticed = resolve));
    const url = await start({
      onRefused: ({ reason }) => {
        refused.push(reason);
        noticed();
      },
    });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write('POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy());
    await seen;
    expect(refused).toEqual(['incomplete']);
    expect((await post(url, payload)).status).toBe(200);
  });

  it('other methods get 405', async () => {
    const response = await fetch(await start());
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('middleware that kept the raw bytes is fine, as after express.raw()', async () => {
    const webhook = webhookHandler({ key, now });
    const url = await listen(async (request, response) => {
      Object.assign(request, { body: Buffer.concat(await request.toArray()) });
      await webhook.node(request, response);
    });
    expect((await post(url, payload)).status).toBe(200);
    expect(await refusal(await post(url, payload, signed('another body')))).toEqual([500, 'wrong-key']);
  });

  it('middleware that parsed the body is named as the culprit, as after express.json()', async () => {
    const webhook = webhookHandler({ key, now });
    const url = await listen(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      Object.assign(request, { body: JSON.parse(body) as unknown });
      await webhook.node(request, response);
    });
    expect(await refusal(await post(url, payload))).toEqual([500, 'body-consumed']);
  });
});

describe('what the callback says', () => {
  const answerOf = async (onCall: WebhookOptions['onCall'], more = {}): Promise<[number, string]> => {
    const answer = await webhookHandler({ key, now, onCall, ...more }).receive({
      headers: signed(payload),
      body: payload,
    });
    return [answer.status, answer.body];
  };

  it('is answered as JSON', async () => {
    expect(await answerOf(() => ({ userId: '7' }))).toEqual([200, '{"userId":"7"}']);
    expect(await answerOf(async () => null)).toEqual([200, 'null']);
  });

  it('interrupts the triggering call in the form of the service', async () => {
    const stop = (): never => {
      throw new InterruptCall(403, 'not on the list');
    };
    expect(await answerOf(stop)).toEqual([
      200,
      '{"forwardedStatusCode":403,"forwardedErrorMessage":"not on the list"}',
    ]);
  });

  it('stays inside when it fails: a plain 500 for the sender, the error for the log', async () => {
    const errors: unknown[] = [];
    const trouble = new Error('canary');
    const fail = (): never => {
      throw trouble;
    };
    const [status, body] = await answerOf(fail, { onError: (error: unknown) => void errors.push(error) });
    expect([status, body.includes('canary')]).toEqual([500, false]);
    expect(errors).toEqual([trouble]);
  });
});

describe('a call that has come before', () => {
  const call = { headers: signed(payload), body: payload };

  it('is taken by default, and refused where that is asked for', async () => {
    const plain = webhookHandler({ key, now });
    expect([(await plain.receive(call)).status, (await plain.receive(call)).status]).toEqual([200, 200]);
    const calls: VerifiedCall[] = [];
    const webhook = webhookHandler({ key, now, refuseReplays: true, onCall: (one) => void calls.push(one) });
    const answers = await Promise.all([webhook.receive(call), webhook.receive(call)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 500]);
    expect(JSON.parse(answers[1]?.body ?? '')).toMatchObject({ reason: 'replayed' });
    expect(calls.map(({ signatures }) => signatures)).toEqual([
      [call.headers['zitadel-signature']?.slice(16)],
    ]);
  });

  it('may come once more when it failed, but not when it was interrupted', async () => {
    let problem: Error = new Error('no database');
    const onCall = (): never => {
      throw problem;
    };
    const { receive } = webhookHandler({ key, now, refuseReplays: true, onCall });
    expect((await receive(call)).body).toContain('handler-failed');
    problem = new InterruptCall(403, 'not on the list');
    expect((await receive(call)).body).toContain('not on the list');
    expect((await receive(call)).body).toContain('replayed');
  });
});

describe('the key', () => {
  const receive = async (options: WebhookOptions, signingKey: string): Promise<number> => {
    const call = { headers: signed(payload, signingKey), body: payload };
    return (await webhookHandler({ now, ...options }).receive(call)).status;
  };

  it('may be fetched for each call, so that a rotation needs no restart', async () => {
    let current = 'first';
    const options = { key: async () => current };
    expect(await receive(options, 'first')).toBe(200);
    current = 'second';
    expect(await receive(options, 'first')).toBe(500);
    expect(await receive(options, 'second')).toBe(200);
  });

  it('that cannot be fetched refuses the call and is reported to the log alone', async () => {
    const errors: unknown[] = [];
    const refused: string[] = [];
    const status = await receive(
      {
        key: () => Promise.reject(new Error('no such file')),
        onError: (error) => void errors.push(error),
        onRefused: ({ reason }) => void refused.push(reason),
      },
      'first',
    );
    expect([status, refused, errors.length]).toEqual([500, ['no-key'], 1]);
  });
});

describe('on Fetch-style frameworks', () => {
  const ask = (headers: Record<string, string>, body = payload): Request =>
    new Request('http://hook.test/hook', { method: 'POST', body, headers });

  it('a signed call is taken, others are refused', async () => {
    const { fetch } = webhookHandler({ key, now, onCall: ({ userId }) => ({ userId }) });
    const response = await fetch(ask(signed(payload)));
    expect([response.status, await response.json()]).toEqual([200, { userId: '4' }]);
    expect(await refusal(await fetch(ask({})))).toEqual([500, 'missing']);
    expect((await fetch(new Request('http://hook.test/hook'))).status).toBe(405);
  });

  it('a body that was read before is named', async () => {
    const request = ask(signed(payload));
    await request.json();
    expect(await refusal(await webhookHandler({ key, now }).fetch(request))).toEqual([500, 'body-consumed']);
  });

  it('Fastify and others hand over raw bytes and take an answer', async () => {
    const webhook = webhookHandler({ key, now });
    const call = { method: 'POST', headers: signed(payload), body: Buffer.from(payload) };
    expect(await webhook.receive(call)).toEqual({ status: 200, headers: {}, body: '' });
    const { status } = await webhookHandler({ key, now, maxBytes: 10 }).receive(call);
    expect(status).toBe(413);
  });
});
