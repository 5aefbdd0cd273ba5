import { describe, expect, it } from 'vitest';
import { NetworkFailure } from '../../src/api/network.ts';
import { classifyResponse } from '../../src/api/refusals.ts';
import { readProblem } from '../../src/api/problem.ts';
import { mayRepeat, parseRetryAfter, retry } from '../../src/api/retry.ts';
import type { ApiRequest, ApiResponse } from '../../src/api/send.ts';
import { createFakeClock } from '../support/clock.ts';
import { aRequest, playScript, refusal, toResponse, type Sent, type Step } from '../support/script.ts';

interface End {
  readonly end: ApiResponse | NetworkFailure;
  readonly sent: Sent[];
}

async function play(steps: readonly Step[], request: ApiRequest = aRequest()): Promise<End> {
  const clock = createFakeClock();
  const { send, sent } = playScript(steps, clock);
  const promise = retry(
    { clock },
    send,
  )(request).catch((error: unknown) => {
    if (error instanceof NetworkFailure) return error;
    throw error;
  });
  await clock.advance(3 * 3_600_000);
  return { end: await promise, sent };
}

const safe = aRequest({ repeat: 'safe' });
const unsafe = aRequest({ repeat: 'unsafe' });
const tooLarge: Step = {
  status: 429,
  body: { code: 8, message: 'grpc: received message larger than max (5000000 vs. 4194304)' },
};

describe('what is never repeated', () => {
  it.each<[string, Step]>([
    ['a refusal', refusal(400, 3, 'EMAIL-599BI', 'Email is invalid')],
    ['a user that exists', refusal(409, 6, 'V3-DKcYh', 'User already exists')],
    ['a 429 that means too large', tooLarge],
    [
      'a response that is too large',
      { status: 429, body: { code: 8, message: 'trying to send message larger than max (1 vs. 0)' } },
    ],
    ['a used-up quota', refusal(429, 8, 'QUOTA-vjAy8', 'Quota.Access.Exhausted')],
    ['a blocked instance', refusal(429, 8, 'LIMITS-molsj', 'Errors.Limits.Instance.Blocked')],
    ['a blocked instance in plain words', { status: 429, body: 'Your ZITADEL instance is blocked.' }],
    ['a panic of the service', refusal(500, 13, 'RECOVER', 'Errors.Internal')],
    ['a missing token', { status: 401, body: { code: 16, message: 'auth header missing' } }],
    ['a certificate that is not trusted', { fail: 'trust' }],
  ])('%s', async (_, step) => {
    const { sent } = await play([step], safe);
    expect(sent).toHaveLength(1);
  });
});

describe('a lost response', () => {
  it.each<[string, Step]>([
    ['a connection that broke', { fail: 'response' }],
    ['500', { status: 500, body: { code: 2, message: 'context deadline exceeded ()' } }],
    ['502', { status: 502 }],
    ['503', { status: 503 }],
    ['504', { status: 504 }],
  ])('(%s) repeats a safe call and leaves an unsafe one to its caller', async (_, step) => {
    expect((await play([step, {}], safe)).sent).toHaveLength(2);
    expect((await play([step, {}], unsafe)).sent).toHaveLength(1);
  });

  it('is asked for less and less often, and given up after five minutes', async () => {
    const { sent, end } = await play([{ status: 503 }], safe);
    const waits = sent.slice(1).map(({ at }, i) => at - (sent[i]?.at ?? 0));
    expect(waits.slice(0, 4)).toEqual([375, 750, 1500, 3000]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
    expect(sent.at(-1)?.at).toBeLessThanOrEqual(300_000);
    expect(sent.at(-1)?.at).toBeGreaterThan(240_000);
    expect(end).toMatchObject({ status: 503 });
  });

  it('waits as long as Retry-After says', async () => {
    const { sent } = await play([{ status: 503, headers: { 'retry-after': '120' } }, {}], safe);
    expect(sent[1]?.at).toBeGreaterThanOrEqual(120_000);
  });
});

describe('what never left', () => {
  it('is sent again, unsafe or not', async () => {
    expect((await play([{ fail: 'connect' }, {}], unsafe)).sent).toHaveLength(2);
  });

  it('is given up in the end', async () => {
    const { end } = await play([{ fail: 'connect' }], unsafe);
    expect(end).toBeInstanceOf(NetworkFailure);
  });

  it('covers a transaction that was rolled back', async () => {
    const aborted: Step = { status: 409, body: { code: 10, message: 'aborted' } };
    expect((await play([aborted, {}], unsafe)).sent).toHaveLength(2);
  });
});

describe('a gateway that cannot connect to its service', () => {
  const starting: Step = {
    status: 503,
    body: {
      code: 14,
      message:
        'connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:8080: connect: connection refused"',
    },
  };

  it('has sent nothing on, so an unsafe call is sent again', async () => {
    expect((await play([starting, starting, {}], unsafe)).sent).toHaveLength(3);
  });

  it('is not one that lost its connection on the way', async () => {
    const lost: Step = { status: 503, body: { code: 14, message: 'error reading from server: EOF' } };
    expect((await play([lost, {}], unsafe)).sent).toHaveLength(1);
    expect((await play([lost, {}], safe)).sent).toHaveLength(2);
  });
});

describe('too many requests', () => {
  const tooMany: Step = { status: 429, body: 'slow down' };

  it('is asked again even when unsafe, since nothing was done', async () => {
    expect((await play([tooMany, tooMany, {}], unsafe)).sent).toHaveLength(3);
  });

  it('is given up after eight in a row', async () => {
    const { sent, end } = await play([tooMany], unsafe);
    expect(sent).toHaveLength(9);
    expect(end).toMatchObject({ status: 429 });
  });

  it('is given up at once when the service asks for longer than an hour', async () => {
    const { sent } = await play([{ ...tooMany, headers: { 'retry-after': '7200' } }], unsafe);
    expect(sent).toHaveLength(1);
  });
});

it('stops waiting when the run is stopped', async () => {
  const clock = createFakeClock();
  const { send, sent } = playScript([{ status: 503 }], clock);
  const stop = new AbortController();
  const end = retry({ clock }, send)(aRequest({ signal: stop.signal }));
  await clock.advance(100);
  stop.abort(new Error('enough'));
  await expect(end).rejects.toThrow('enough');
  expect(sent).toHaveLength(1);
});

describe('the table', () => {
  it('goes by code and id, whatever the language of the text', () => {
    const german = refusal(429, 8, 'QUOTA-vjAy8', 'Kontingent aufgebraucht');
    expect(classifyResponse(readProblem(toResponse(german)))).toBe('stop');
  });

  it.each([
    [413, '', 'too-large'],
    [401, '', 'renew'],
    [404, '', 'refused'],
    [500, '{"code":13,"message":"db connection error ()"}', 'unsure'],
    [418, 'teapot', 'refused'],
    [302, '', 'refused'],
  ])('takes %i %s as %s', (status, text, verdict) => {
    expect(classifyResponse(readProblem({ status, headers: {}, text }))).toBe(verdict);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1);
  it.each([
    ['0', 0],
    ['120', 120_000],
    ['1.5', 1500],
    [new Date(now + 30_000).toUTCString(), 30_000],
    [new Date(now - 30_000).toUTCString(), 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('%s is %s ms', (value, ms) => {
    expect(parseRetryAfter(value, now)).toBe(ms);
  });
});

describe('a call whose answer is lost', () => {
  it.each([
    ['POST', '/management/v1/users/_search'],
    ['POST', '/v2/users'],
    ['POST', '/management/v1/users/17/_deactivate'],
    ['POST', '/v2/users/17/lock'],
    ['POST', '/management/v1/users/17/grants'],
    ['PATCH', '/v2/users/17'],
    ['DELETE', '/v2/users/17'],
  ] as const)('%s %s is sent again', (method, path) => {
    expect(mayRepeat(method, path)).toBe('safe');
  });

  it.each([
    '/v2/users/new',
    '/admin/v1/import',
    '/management/v1/users/human/_import',
    '/management/v1/projects/17/grants',
    '/v2/sessions',
    '/v2/actions/targets',
  ])('POST %s is not: it would be done twice', (path) => {
    expect(mayRepeat('POST', path)).toBe('unsafe');
  });
});
