/** What is sent again, how often, and after how long. */
import { describe, expect, it } from 'vitest';
import { NetworkFailure, type ApiRequest } from '../../src/api/send.ts';
import { classifyResponse, readProblem } from '../../src/api/refusals.ts';
import { mayRepeat, parseRetryAfter, retry } from '../../src/api/retry.ts';
import { createFakeClock } from '../support/clock.ts';
import { aRequest, playScript, refusal, toResponse, type Step } from '../support/script.ts';

/** Times of what was sent, and the end, in three hours. */
async function play(repeat: ApiRequest['repeat'], ...steps: readonly Step[]) {
  const clock = createFakeClock();
  const { send, sent } = playScript(steps, clock);
  const promise = retry({ clock }, send)(aRequest({ repeat }));
  await clock.advance(3 * 3_600_000);
  return { end: await promise, times: sent.map(({ at }) => at) };
}

const answer = (status: number, code: number, message: string): Step => ({ status, body: { code, message } });
const tooMany: Step = { status: 429, body: 'slow down' };
const dialing =
  'connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:8080: connect: connection refused"';

it.each<[string, Step, ifSafe: number, ifUnsafe: number]>([
  ['a refusal', refusal(400, 3, 'EMAIL-599BI', 'Email is invalid'), 1, 1],
  ['a user that exists', refusal(409, 6, 'V3-DKcYh', 'User already exists'), 1, 1],
  ['a request that is too large', answer(429, 8, 'grpc: received message larger than max (5 vs. 4)'), 1, 1],
  ['a response that is too large', answer(429, 8, 'trying to send message larger than max (1 vs. 0)'), 1, 1],
  ['a used-up quota', refusal(429, 8, 'QUOTA-vjAy8', 'Quota.Access.Exhausted'), 1, 1],
  ['a blocked instance', { status: 429, body: 'Your ZITADEL instance is blocked.' }, 1, 1],
  ['a panic of the service', refusal(500, 13, 'RECOVER', 'Errors.Internal'), 1, 1],
  ['a missing token', answer(401, 16, 'auth header missing'), 1, 1],
  ['a certificate that is not trusted', { fail: 'trust' }, 1, 1],
  ['a wait of more than an hour', { ...tooMany, headers: { 'retry-after': '7200' } }, 1, 1],
  // What was done is not known.
  ['a connection that broke', { fail: 'response' }, 2, 1],
  ['500', answer(500, 2, 'context deadline exceeded ()'), 2, 1],
  ['502', { status: 502 }, 2, 1],
  ['503', { status: 503 }, 2, 1],
  ['504', { status: 504 }, 2, 1],
  ['a gateway that lost its service', answer(503, 14, 'error reading from server: EOF'), 2, 1],
  // Nothing was done.
  ['a connection that never came about', { fail: 'connect' }, 2, 2],
  ['a transaction that was rolled back', answer(409, 10, 'aborted'), 2, 2],
  ['a gateway that cannot connect to its service', answer(503, 14, dialing), 2, 2],
  ['too many requests', tooMany, 2, 2],
])('%s: a safe call is sent %j, %i times, an unsafe one %i times', async (_, step, ifSafe, ifUnsafe) => {
  expect((await play('safe', step, {})).times).toHaveLength(ifSafe);
  expect((await play('unsafe', step, {})).times).toHaveLength(ifUnsafe);
});

describe('the waits of retry', () => {
  it('grow and end after five minutes', async () => {
    const { times, end } = await play('safe', { status: 503 });
    const waits = times.slice(1).map((at, i) => at - times[i]!);
    expect(waits.slice(0, 4)).toEqual([375, 750, 1500, 3000]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
    expect(times.at(-1)).toBeLessThanOrEqual(300_000);
    expect(times.at(-1)).toBeGreaterThan(240_000);
    expect(end).toMatchObject({ status: 503 });
  });

  it('follow Retry-After', async () => {
    const { times } = await play('safe', { status: 503, headers: { 'retry-after': '120' } }, {});
    expect(times[1]).toBeGreaterThanOrEqual(120_000);
  });

  it('end after eight refusals in a row, or if no connection succeeds', async () => {
    const { times, end } = await play('unsafe', tooMany);
    expect(times).toHaveLength(9);
    expect(end).toMatchObject({ status: 429 });
    expect((await play('unsafe', { fail: 'connect' })).end).toBeInstanceOf(NetworkFailure);
  });
});

it.each([
  [413, '', 'too-large'],
  [401, '', 'renew'],
  [404, '', 'refused'],
  [500, '{"code":13,"message":"db connection error ()"}', 'unsure'],
  [418, 'teapot', 'refused'],
  [302, '', 'stop'],
  // By code and id, whatever the language of the text.
  [429, toResponse(refusal(429, 8, 'QUOTA-vjAy8', 'Kontingent aufgebraucht')).text, 'stop'],
])('classifyResponse of %i %s returns %s', (status, text, verdict) => {
  expect(classifyResponse(readProblem({ status, headers: {}, text }))).toBe(verdict);
});

const now = Date.UTC(2026, 0, 1);
it.each([
  ['0', 0],
  ['120', 120_000],
  ['1.5', 1500],
  [new Date(now + 30_000).toUTCString(), 30_000],
  [new Date(now - 30_000).toUTCString(), 0],
  ['soon', undefined],
  [undefined, undefined],
])('parseRetryAfter of %s returns %s ms', (value, ms) => {
  expect(parseRetryAfter(value, now)).toBe(ms);
});

it.each([
  ['POST', '/management/v1/users/_search', 'safe'],
  ['POST', '/v2/users', 'safe'],
  ['POST', '/management/v1/users/17/_deactivate', 'safe'],
  ['POST', '/v2/users/17/lock', 'safe'],
  ['POST', '/management/v1/users/17/grants', 'safe'],
  ['PATCH', '/v2/users/17', 'safe'],
  ['DELETE', '/v2/users/17', 'safe'],
  ['POST', '/v2/users/new', 'unsafe'],
  ['POST', '/admin/v1/import', 'unsafe'],
  ['POST', '/management/v1/users/human/_import', 'unsafe'],
  ['POST', '/management/v1/projects/17/grants', 'unsafe'],
  ['POST', '/v2/sessions', 'unsafe'],
  ['POST', '/v2/actions/targets', 'unsafe'],
] as const)('%s %s is %s to repeat', (method, path, repeat) => {
  expect(mayRepeat(method, path)).toBe(repeat);
});
