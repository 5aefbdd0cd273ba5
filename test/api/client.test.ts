import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../../src/api/api-error.ts';
import { createClient, type Client, type ClientOptions } from '../../src/api/client.ts';
import { fixedToken } from '../../src/api/credentials.ts';
import type { IdportEvent } from '../../src/events.ts';
import { createFakeClock } from '../support/clock.ts';
import { playScript, refusal, type Sent, type Step } from '../support/script.ts';

const clock = createFakeClock();

interface Setup {
  client: Client;
  sent: Sent[];
  events: IdportEvent[];
}

function setup(steps: readonly Step[], options: Partial<ClientOptions> = {}): Setup {
  const { send, sent } = playScript(steps, clock);
  const events: IdportEvent[] = [];
  const client = createClient({
    url: 'https://id.example/',
    credentials: fixedToken('secret-token'),
    clock,
    emit: (event) => events.push(event),
    send,
    ...options,
  });
  return { client, sent, events };
}

/** Runs to the end while the clock moves on. */
async function inTime<Value>(promise: Promise<Value>, ms = 10 * 60_000): Promise<Value> {
  promise.catch(() => undefined);
  await clock.advance(ms);
  return promise;
}

async function errorOf(promise: Promise<unknown>): Promise<ApiError> {
  const error = await inTime(promise).catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError)) throw new Error(`no ApiError: ${String(error)}`);
  return error;
}

describe('a call', () => {
  it('carries token, organization, query and JSON, and gives the checked answer', async () => {
    const { client, sent } = setup([{ body: { userId: '7' } }]);
    const answer = z.object({ userId: z.string() });
    const value = await client.call({
      method: 'POST',
      path: '/management/v1/users/human/_import',
      query: { a: 'b c' },
      body: { userName: 'ada' },
      org: '42',
      answer,
    });
    expect(value).toEqual({ userId: '7' });
    expect(sent[0]?.request).toMatchObject({
      method: 'POST',
      url: 'https://id.example/management/v1/users/human/_import?a=b+c',
      body: '{"userName":"ada"}',
      repeat: 'unsafe',
      headers: {
        authorization: 'Bearer secret-token',
        'x-zitadel-orgid': '42',
        'content-type': 'application/json',
      },
    });
  });

  it('reports a refusal with method, address, status, id and remedy, and without the token', async () => {
    const { client } = setup([refusal(403, 7, 'AUTH-5mWD2', 'No matching permissions found')]);
    const error = await errorOf(
      client.call({ method: 'POST', path: '/admin/v1/import', query: { token: 'x' } }),
    );
    expect(error.message).toBe(
      'POST https://id.example/admin/v1/import: 403 No matching permissions found (AUTH-5mWD2)',
    );
    expect(error).toMatchObject({
      status: 403,
      grpcCode: 7,
      id: 'AUTH-5mWD2',
      done: 'no',
      verdict: 'refused',
    });
    expect(error.hint).toContain('IAM_OWNER');
    expect(JSON.stringify(error)).not.toContain('secret-token');
  });

  it('that is unsafe and loses its response ends as unknown, after one attempt', async () => {
    const { client, sent } = setup([{ fail: 'response' }]);
    const attempt = await client.attempt({ method: 'POST', path: '/x' });
    expect(attempt).toMatchObject({ ok: false, error: { done: 'unknown', code: 'api:no-answer' } });
    expect(sent).toHaveLength(1);
  });

  it('to an address where nothing responds is given up soon, and later outages are waited for', async () => {
    const { client, sent } = setup([{ fail: 'connect' }]);
    const error = await errorOf(client.call({ method: 'GET', path: '/x' }));
    expect(error).toMatchObject({ code: 'api:unreachable', done: 'no' });
    expect((sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0)).toBeLessThanOrEqual(10_000);
    const known = setup([{}, { fail: 'connect' }]);
    await known.client.call({ method: 'GET', path: '/x' });
    await errorOf(known.client.call({ method: 'GET', path: '/x' }));
    expect((known.sent.at(-1)?.at ?? 0) - (known.sent[1]?.at ?? 0)).toBeGreaterThan(200_000);
  });

  it('waits for a service that is starting longer than for an address where nothing responds', async () => {
    const starting: Step = { status: 503, body: { code: 14, message: 'connection refused' } };
    const { client, sent } = setup([...Array.from({ length: 8 }, () => starting), {}]);
    await inTime(client.call({ method: 'GET', path: '/x' }));
    expect((sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0)).toBeGreaterThan(20_000);
  });

  it('takes the page of another program as a lost response', async () => {
    const { client } = setup([{ body: '<html>Please log in to the wifi</html>' }]);
    const attempt = await client.attempt({ method: 'POST', path: '/x' });
    expect(attempt).toMatchObject({ ok: false, error: { done: 'unknown' } });
  });

  it('ends with InterruptedError when the run is stopped while it waits', async () => {
    const stop = new AbortController();
    const { client } = setup([{ status: 503 }], { signal: stop.signal });
    const call = client.call({ method: 'GET', path: '/x' });
    await clock.advance(10);
    stop.abort();
    await expect(call).rejects.toMatchObject({ name: 'InterruptedError', exitCode: 130 });
  });
});

describe('the address', () => {
  it.each(['id.example', 'ftp://id.example', 'https://user:secret@id.example'])(
    'is refused when it is %s',
    (url) => {
      expect(() => setup([{}], { url })).toThrow(/--url/);
    },
  );

  it('keeps its path', async () => {
    const { client, sent } = setup([{}], { url: 'https://id.example:8443/auth/' });
    await client.call({ method: 'GET', path: '/x' });
    expect(sent[0]?.request.url).toBe('https://id.example:8443/auth/x');
  });
});

it('knows the clock of the service from its answers', async () => {
  const date = new Date(clock.now() + 90_000).toUTCString();
  const { client } = setup([{ headers: { date } }]);
  expect(client.serverNow()).toBe(clock.now());
  await client.call({ method: 'GET', path: '/x' });
  expect(Math.abs(client.serverNow() - clock.now() - 90_000)).toBeLessThan(1000);
});

it('knows it still when the clock of this machine jumps', async () => {
  const serviceTime = clock.now() + 90_000;
  let jump = 5 * 3_600_000;
  const jumping = { ...clock, now: () => clock.now() + jump, monotonic: () => clock.monotonic() + 0.25 };
  const { client } = setup([{ headers: { date: new Date(serviceTime).toUTCString() } }], { clock: jumping });
  await client.call({ method: 'GET', path: '/x' });
  for (jump of [0, -48 * 3_600_000, 3_600_000]) {
    expect(Math.abs(client.serverNow() - serviceTime)).toBeLessThan(1000);
    expect(client.serverNow() % 1).toBe(0);
  }
});

it('stops at its budget and says how to go on', async () => {
  const { client, sent } = setup([{}], { budget: 2 });
  await client.call({ method: 'GET', path: '/1' });
  await client.call({ method: 'GET', path: '/2' });
  await expect(client.call({ method: 'GET', path: '/3' })).rejects.toMatchObject({ code: 'api:budget' });
  expect(sent).toHaveLength(2);
  expect(client.sent).toBe(2);
});
