/** What a call of the client carries, how it ends, and what the client knows of the service. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ApiError } from '../../src/api/api-error.ts';
import { createClient, type ClientOptions } from '../../src/api/client.ts';
import { fixedToken } from '../../src/api/credentials.ts';
import { createFakeClock } from '../support/clock.ts';
import { playScript, refusal, type Step } from '../support/script.ts';

const clock = createFakeClock();

function setup(steps: readonly Step[], options: Partial<ClientOptions> = {}) {
  const { send, sent } = playScript(steps, clock);
  const url = 'https://id.example/';
  const credentials = fixedToken('secret-token');
  const client = createClient({ url, credentials, clock, emit: () => {}, send, ...options });
  const get = (path = '/x') => client.call({ method: 'GET', path });
  const span = (from = 0) => (sent.at(-1)?.at ?? 0) - (sent[from]?.at ?? 0);
  return { client, get, sent, span };
}

/** Runs to the end while the clock moves on. */
async function inTime<Value>(promise: Promise<Value>, ms = 10 * 60_000) {
  promise.catch(() => undefined);
  await clock.advance(ms);
  return promise;
}

async function errorOf(promise: Promise<unknown>) {
  const error = await inTime(promise).catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError)) throw new Error(`no ApiError: ${String(error)}`);
  return error;
}

describe('a client call', () => {
  it('sends token, organization, query and JSON, and returns the parsed answer', async () => {
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
      verdict: 'refused',
    });
    expect(error.hint).toContain('IAM_OWNER');
    expect(JSON.stringify(error)).not.toContain('secret-token');
  });

  it.each<[string, Step, object]>([
    ['loses its response', { fail: 'response' }, { code: 'api:no-answer' }],
    ['gets the page of another program', { body: '<html>Please log in to the wifi</html>' }, {}],
  ])('that is unsafe and %s is not repeated and its outcome is unknown', async (_, step, error) => {
    const { client, sent } = setup([step]);
    const attempt = await client.attempt({ method: 'POST', path: '/x' });
    expect(attempt).toMatchObject({ ok: false, error: { verdict: 'unsure', ...error } });
    expect(sent).toHaveLength(1);
  });

  it('is not sent for an invalid organization id, and shows invisible characters of it', async () => {
    const { client, sent } = setup([{ body: {} }]);
    const call = client.call({ method: 'GET', path: '/x', org: '1656\u200b17' });
    await expect(inTime(call)).rejects.toMatchObject({
      code: 'usage',
      message: String.raw`"1656\u200b17" is not the id of an organization`,
    });
    expect(sent).toEqual([]);
  });

  it.each<[string, Step, object]>([
    ['nothing responds', { fail: 'connect' }, { code: 'api:unreachable' }],
    ['another program responds', { body: '<html>Sign in</html>' }, { hint: /check --url/ }],
    ['another version responds', { body: { org: 7 } }, { message: /status 200 that is not the service's/ }],
  ])('gives up within ten seconds and several attempts if %s', async (_, step, error) => {
    const { client, sent, span } = setup([step]);
    const answer = z.object({ org: z.string() });
    expect(await errorOf(client.call({ method: 'GET', path: '/x', answer }))).toMatchObject(error);
    expect(sent.length).toBeGreaterThan(2);
    expect(span()).toBeLessThan(10_000);
  });

  it('waits longer for a service that has answered before', async () => {
    const { get, span } = setup([{}, { fail: 'connect' }]);
    await get();
    await errorOf(get());
    expect(span(1)).toBeGreaterThan(200_000);
  });

  it('waits longer for a starting service than for an unreachable address', async () => {
    const starting: Step = { status: 503, body: { code: 14, message: 'connection refused' } };
    const { get, span } = setup([...Array.from({ length: 8 }, () => starting), {}]);
    await inTime(get());
    expect(span()).toBeGreaterThan(20_000);
  });

  it('throws the reason of its signal if the run is stopped while it waits', async () => {
    const stop = new AbortController();
    const call = setup([{ status: 503 }], { signal: stop.signal }).get();
    await clock.advance(10);
    stop.abort(new Error('over'));
    await expect(call).rejects.toThrow('over');
  });
});

it.each(['id.example', 'ftp://id.example', 'https://user:secret@id.example'])(
  'the address of a client is refused when it is %s',
  (url) => {
    expect(() => setup([{}], { url })).toThrow('--url');
  },
);

it('the address of a client keeps its path', async () => {
  const { get, sent } = setup([{}], { url: 'https://id.example:8443/auth/' });
  await get();
  expect(sent[0]?.request.url).toBe('https://id.example:8443/auth/x');
});

it('serverNow follows the Date headers although the local clock jumps', async () => {
  const serviceTime = clock.now() + 90_000;
  let jump = 5 * 3_600_000;
  const jumping = { ...clock, now: () => clock.now() + jump, monotonic: () => clock.monotonic() + 0.25 };
  const date = new Date(serviceTime).toUTCString();
  const { client, get } = setup([{ headers: { date } }], { clock: jumping });
  expect(client.serverNow()).toBe(jumping.now());
  await get();
  for (jump of [0, -48 * 3_600_000, 3_600_000]) {
    expect(Math.abs(client.serverNow() - serviceTime)).toBeLessThan(1000);
    expect(client.serverNow() % 1).toBe(0);
  }
});

it('a client stops at its request budget', async () => {
  const { client, get, sent } = setup([{}], { budget: 2 });
  for (const path of ['/1', '/2']) await get(path);
  await expect(get('/3')).rejects.toMatchObject({ code: 'api:budget' });
  expect(sent).toHaveLength(2);
  expect(client.sent).toBe(2);
});
