/** The rate of the request queue on any network, and its pause after a refusal. */
import { array, assert, asyncProperty, constantFrom, integer, nat, record } from 'fast-check';
import { expect, it } from 'vitest';
import { createRequestQueue, type PauseRule, type QueueOptions } from '../../src/api/request-queue.ts';
import { retry } from '../../src/api/retry.ts';
import type { Send } from '../../src/api/send.ts';
import type { Limit } from '../../src/api/sliding-window.ts';
import { createRateLimiter } from '../../src/server/limits/rate.ts';
import { createFakeClock, callMany, mostWithin } from '../support/clock.ts';
import { aRequest, toResponse, type Step } from '../support/script.ts';

const perSecond = (count: number): Limit => ({ count, windowMs: 1000 });
const perMinute = (count: number): Limit => ({ count, windowMs: 60_000 });
const done: Send = async () => toResponse({});

/** A queue, and the pauses that it made. */
function queueOf(options: Partial<QueueOptions> = {}) {
  const clock = createFakeClock({ random: [0] });
  const pauses: number[] = [];
  const queue = createRequestQueue({ clock, onPause: (ms) => pauses.push(ms), ...options });
  return { clock, queue, pauses };
}

interface Traffic {
  readonly limits: readonly Limit[];
  readonly requests: number;
  readonly callers: number;
  /** Milliseconds that request number i takes to the service, and back again. */
  readonly there: (i: number) => number;
  readonly back: (i: number) => number;
}

/** When they arrived, in order. */
async function arrivalsOf({ limits, there, back, ...traffic }: Traffic) {
  const { clock, queue } = queueOf({ limits });
  const arrivals: number[] = [];
  await callMany(clock, traffic, (i) =>
    queue.send(aRequest(), async () => {
      await clock.sleep(there(i));
      arrivals.push(clock.monotonic());
      await clock.sleep(back(i));
      return toResponse({});
    }),
  );
  return arrivals.toSorted((a, b) => a - b);
}

const both = (ms: number) => ({ there: () => ms, back: () => ms });
it.each<[string, Traffic, window: number, most: number, leastRate: number]>([
  [
    'in every sliding second, and used to 99 %',
    { limits: [perSecond(45)], requests: 2000, callers: 20, ...both(1) },
    1000,
    45,
    0.985 * 45,
  ],
  [
    'without a burst at the start',
    { limits: [perSecond(50)], requests: 100, callers: 100, ...both(1), there: () => 0 },
    100,
    7,
    0,
  ],
  [
    'and used to 95 % with 40 to 60 ms of latency',
    {
      limits: [perSecond(100)],
      requests: 3000,
      callers: 30,
      there: (i) => 20 + ((i * 7919) % 10),
      back: (i) => 20 + ((i * 104_729) % 10),
    },
    1000,
    100,
    95,
  ],
  [
    'over a minute, where that is the narrower limit',
    { limits: [perSecond(45), perMinute(600)], requests: 1500, callers: 8, ...both(3) },
    60_000,
    600,
    0,
  ],
  [
    'where it is less than one a second',
    { limits: [{ count: 1, windowMs: 2500 }], requests: 8, callers: 3, ...both(10) },
    2500,
    1,
    0,
  ],
])('the rate of the request queue is kept %s', async (_, traffic, window, most, leastRate) => {
  const arrivals = await arrivalsOf(traffic);
  expect(mostWithin(window, arrivals)).toBeLessThanOrEqual(most);
  const seconds = (arrivals.at(-1)! - arrivals[0]!) / 1000;
  expect(arrivals.length / seconds).toBeGreaterThan(leastRate);
});

it('the rate of the request queue is kept with any latencies and stalls', async () => {
  await assert(
    asyncProperty(
      record({
        rate: integer({ min: 1, max: 60 }),
        callers: integer({ min: 1, max: 40 }),
        there: integer({ min: 0, max: 80 }),
        back: integer({ min: 0, max: 400 }),
        stalls: array(constantFrom(0, 0, 0, 0, 0, 300, 1500, 4000), { minLength: 1, maxLength: 30 }),
        seed: nat(),
      }),
      async ({ rate, callers, there, back, stalls, seed }) => {
        const arrivals = await arrivalsOf({
          limits: [perSecond(rate)],
          requests: rate * 6,
          callers,
          // A network that stood still delivers late, and responds late.
          there: (i) => there * chance(seed + i) + (stalls[i % stalls.length] ?? 0),
          back: (i) => back * chance(seed * 31 + i * 17),
        });
        expect(mostWithin(1000, arrivals)).toBeLessThanOrEqual(rate);
      },
    ),
    { numRuns: 40 },
  );
});

/** A number from 0 to below 1 that looks like chance and is always the same for the same place. */
function chance(place: number) {
  const wave = Math.sin(place * 12.9898) * 43_758.5453;
  return wave - Math.floor(wave);
}

it('the request queue drops an aborted request and continues after a failed one', async () => {
  const { clock, queue } = queueOf({ limits: [perMinute(1)] });
  const failing = async () => {
    throw new Error('it broke');
  };
  await expect(queue.send(aRequest(), failing)).rejects.toThrow('it broke');
  const stop = new AbortController();
  const leaving = queue.send(aRequest({ signal: stop.signal }), done);
  stop.abort(new Error('enough'));
  await expect(leaving).rejects.toThrow('enough');
  expect(queue.sent).toBe(1);
  const next = queue.send(aRequest(), done);
  await clock.advance(120_000);
  expect((await next).status).toBe(200);
});

it.each([1, 2, 3, 4])(
  'a request aborted %i steps after its turn does not stop those after it',
  async (steps) => {
    const { clock, queue } = queueOf({ limits: [perMinute(1)] });
    const stop = new AbortController();
    const leaving = queue.send(aRequest({ signal: stop.signal }), done).catch(() => undefined);
    for (let step = 0; step < steps; step++) await Promise.resolve();
    stop.abort();
    const next = queue.send(aRequest(), done);
    await clock.advance(120_000);
    await Promise.all([leaving, expect(next).resolves.toMatchObject({ status: 200 })]);
  },
);

/** Answers of a service that allows so many a minute on average, and bans for a minute after one more. */
async function sendAll(rate: number, options: Partial<QueueOptions>, retryAfter = false) {
  const { clock, queue, pauses } = queueOf(options);
  const rule = { perSecond: rate / 60, windowSeconds: 60 };
  const limiter = createRateLimiter({ ...rule, ban: { ...rule, seconds: 60 } });
  const bans: { from: number; refused: number }[] = [];
  const service: Send = async () => {
    await clock.sleep(20);
    const now = clock.monotonic();
    const verdict = limiter.take('here', clock.now());
    const step: Step = {};
    if (verdict !== undefined) {
      if (now > (bans.at(-1)?.from ?? -Infinity) + 60_000) bans.push({ from: now, refused: 0 });
      bans.at(-1)!.refused += 1;
      step.status = 429;
      if (retryAfter) step.headers = { 'retry-after': `${verdict.retryAfter}` };
    }
    await clock.sleep(20);
    return toResponse(step);
  };
  const send = retry({ clock }, (request) => queue.send(request, service));
  await callMany(clock, { requests: 3 * rate, callers: 6 }, async () =>
    expect(await send(aRequest({ repeat: 'unsafe' }))).toMatchObject({ status: 200 }),
  );
  return { pauses, mostRefused: Math.max(0, ...bans.map(({ refused }) => refused)) };
}
const pause: PauseRule = { ban: 60_000, first: 1000, longest: 60_000 };

it('a ban of one minute is met only by requests that were sent before it', async () => {
  const { pauses, mostRefused } = await sendAll(600, { limits: [perSecond(20)], pause });
  // One pair of responses can cross with the first 429; nothing is sent after it.
  expect([1, 2]).toContain(mostRefused);
  for (const ms of pauses) expect(ms).toBeGreaterThan(60_000);
});

it('a ban of one minute does not occur below the rate', async () => {
  expect((await sendAll(600, { limits: [perSecond(20), perMinute(600)], pause })).mostRefused).toBe(0);
});

it('a ban of one minute is waited for as long as Retry-After says, also without a rate', async () => {
  const { mostRefused } = await sendAll(300, {}, true);
  expect([1, 2, 3, 4, 5, 6]).toContain(mostRefused);
});

const answering =
  (...statuses: number[]) =>
  async () =>
    toResponse({ status: statuses.shift() ?? 200 });

it('a 429 without a known ban doubles the pause until a request succeeds', async () => {
  const { clock, queue, pauses } = queueOf();
  const service = answering(429, 429, 429, 429, 429, 200, 429);
  const send = retry({ clock }, (request) => queue.send(request, service));
  for (let request = 0; request < 2; request++) {
    const end = send(aRequest({ repeat: 'unsafe' }));
    await clock.advance(600_000);
    expect(await end).toMatchObject({ status: 200 });
  }
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 1000]);
});

it.each<[string, Step]>([
  [
    'for a request that is too large',
    { body: { code: 8, message: 'grpc: received message larger than max (5000000 vs. 4194304)' } },
  ],
  ['with a Retry-After of more than an hour', { headers: { 'retry-after': '7200' } }],
])('a 429 without a known ban %s causes no pause', async (_, step) => {
  const { queue, pauses } = queueOf();
  const refused = async () => toResponse({ status: 429, ...step });
  for (let i = 0; i < 2; i++) expect((await queue.send(aRequest(), refused)).status).toBe(429);
  expect(pauses).toEqual([]);
});

it('the request queue pauses all requests once per refusal and resumes at half the rate', async () => {
  const pause: PauseRule = { first: 5000, longest: 60_000 };
  const { clock, queue, pauses } = queueOf({ limits: [perSecond(10)], pause });
  await clock.advance(5000);
  const refused = [200, 115].map((latency) =>
    queue.send(aRequest(), async () => {
      await clock.sleep(latency);
      return toResponse({ status: 429 });
    }),
  );
  await clock.advance(200);
  await Promise.all(refused);
  expect(pauses).toEqual([5000]);

  let sent = 0;
  const many = Array.from({ length: 30 }, () =>
    queue.send(aRequest(), async (request) => {
      sent += 1;
      return done(request);
    }),
  );
  await clock.advance(4999);
  expect(sent).toBe(0);
  await clock.advance(1001);
  expect(sent).toBeGreaterThanOrEqual(4);
  expect(sent).toBeLessThanOrEqual(6);
  await clock.advance(60_000);
  await Promise.all(many);
});
