import { describe, expect, it } from 'vitest';
import { RequestQueue, type PauseRule, type QueueOptions } from '../../src/api/request-queue.ts';
import { retry } from '../../src/api/retry.ts';
import type { Send } from '../../src/api/send.ts';
import type { Limit } from '../../src/api/sliding-window.ts';
import { createFakeClock, type FakeClock } from '../support/clock.ts';
import { aRequest, toResponse, type Step } from '../support/script.ts';

/** A service that allows so many requests a minute and bans for a while after one more. */
interface Strict {
  readonly send: Send;
  readonly taken: number[];
  readonly refused: number[];
  /** Requests that came in while the ban held, per ban. */
  readonly intoBan: number[];
}

function strictService(
  clock: FakeClock,
  rule: { perMinute: number; ban: number; retryAfter?: boolean; latency: number },
): Strict {
  const taken: number[] = [];
  const refused: number[] = [];
  const intoBan: number[] = [];
  let bannedUntil = -Infinity;
  const send: Send = async () => {
    await clock.sleep(rule.latency / 2);
    const now = clock.monotonic();
    const lastMinute = taken.filter((at) => at > now - 60_000).length;
    let step: Step = { body: {} };
    if (now < bannedUntil) {
      intoBan[intoBan.length - 1] = (intoBan.at(-1) ?? 0) + 1;
      step = { status: 429, body: 'banned' };
    } else if (lastMinute >= rule.perMinute) {
      bannedUntil = now + rule.ban;
      intoBan.push(0);
      step = { status: 429, body: 'too many' };
    }
    if (step.status === 429) refused.push(now);
    else taken.push(now);
    if (rule.retryAfter === true && step.status === 429) {
      step.headers = { 'retry-after': String(Math.ceil((bannedUntil - now) / 1000)) };
    }
    await clock.sleep(rule.latency / 2);
    return toResponse(step);
  };
  return { send, taken, refused, intoBan };
}

function queued(options: QueueOptions, send: Send): Send {
  const queue = new RequestQueue(options);
  return (request) => queue.send(request, send);
}

async function sendAll(
  clock: FakeClock,
  service: Strict,
  options: { limits?: Limit[]; pause?: PauseRule; requests: number; callers: number },
): Promise<{ statuses: number[]; pauses: number[] }> {
  const pauses: number[] = [];
  const { limits, pause } = options;
  const onPause = (ms: number): void => void pauses.push(ms);
  const send = retry({ clock }, queued({ clock, pause, onPause, ...(limits && { limits }) }, service.send));
  const statuses: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next++ < options.requests) statuses.push((await send(aRequest({ repeat: 'unsafe' }))).status);
  };
  const state = { done: false };
  const all = Promise.all(Array.from({ length: options.callers }, caller)).finally(() => {
    state.done = true;
  });
  for (let i = 0; i < 10_000 && !state.done; i++) await clock.advance(1000);
  await all;
  return { statuses, pauses };
}

const hosted: PauseRule = { ban: 60_000, first: 1000, longest: 60_000 };

describe('a ban of a minute without Retry-After', () => {
  it('is met by the requests that were sent before it, and by none after them', async () => {
    const clock = createFakeClock();
    const service = strictService(clock, { perMinute: 600, ban: 60_000, latency: 40 });
    const { statuses, pauses } = await sendAll(clock, service, {
      limits: [{ count: 20, windowMs: 1000 }],
      pause: hosted,
      requests: 1500,
      callers: 6,
    });
    expect(statuses.every((status) => status === 200)).toBe(true);
    expect(service.taken).toHaveLength(1500);
    expect(service.intoBan.length).toBeGreaterThan(0);
    // One pair of responses can cross with the first 429; nothing is sent after it.
    expect(Math.max(...service.intoBan)).toBeLessThanOrEqual(1);
    for (const ms of pauses) expect(ms).toBeGreaterThan(60_000);
  });

  it('never comes at all below the rate', async () => {
    const clock = createFakeClock();
    const service = strictService(clock, { perMinute: 600, ban: 60_000, latency: 40 });
    await sendAll(clock, service, {
      limits: [
        { count: 20, windowMs: 1000 },
        { count: 600, windowMs: 60_000 },
      ],
      pause: hosted,
      requests: 2000,
      callers: 6,
    });
    expect(service.refused).toEqual([]);
  });
});

describe('a ban with Retry-After', () => {
  it('is waited for to its end, from the unlimited as well', async () => {
    const clock = createFakeClock();
    const service = strictService(clock, { perMinute: 300, ban: 60_000, retryAfter: true, latency: 40 });
    const { statuses } = await sendAll(clock, service, { requests: 900, callers: 4 });
    expect(statuses.every((status) => status === 200)).toBe(true);
    expect(Math.max(...service.intoBan)).toBeLessThanOrEqual(3);
  });
});

describe('a 429 without a known ban', () => {
  it('pauses twice as long each time until a request gets through', async () => {
    const clock = createFakeClock({ random: [0] });
    let refusals = 5;
    const service: Send = async () => toResponse(refusals-- > 0 ? { status: 429 } : {});
    const pauses: number[] = [];
    const queue = queued({ clock, onPause: (ms) => pauses.push(ms) }, service);
    const end = retry({ clock }, queue)(aRequest({ repeat: 'unsafe' }));
    await clock.advance(600_000);
    expect((await end).status).toBe(200);
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000]);
  });

  it('starts anew after a success', async () => {
    const clock = createFakeClock({ random: [0] });
    const statuses = [429, 429, 429, 200, 429];
    const pauses: number[] = [];
    const send = queued({ clock, onPause: (ms) => pauses.push(ms) }, async () =>
      toResponse({ status: statuses.shift() ?? 200 }),
    );
    for (let request = 0; request < 5; request++) {
      const end = send(aRequest());
      await clock.advance(100_000);
      await end;
    }
    expect(pauses).toEqual([1000, 2000, 4000, 1000]);
  });

  it('that means too large pauses nothing', async () => {
    const clock = createFakeClock();
    const message = 'grpc: received message larger than max (5000000 vs. 4194304)';
    const pauses: number[] = [];
    const send = queued({ clock, onPause: (ms) => pauses.push(ms) }, async () =>
      toResponse({ status: 429, body: { code: 8, message } }),
    );
    expect((await send(aRequest())).status).toBe(429);
    expect((await send(aRequest())).status).toBe(429);
    expect(pauses).toEqual([]);
  });
});

it('stops all requests, counts refusals of one time once, and comes back at half the rate', async () => {
  const clock = createFakeClock({ random: [0] });
  const pauses: number[] = [];
  const pause: PauseRule = { first: 5000, longest: 60_000 };
  const limits = [{ count: 10, windowMs: 1000 }];
  const queue = new RequestQueue({ clock, limits, pause, onPause: (ms) => pauses.push(ms) });
  await clock.advance(5000);
  const refuse = (latency: number) =>
    queue.send(aRequest(), async () => {
      await clock.sleep(latency);
      return toResponse({ status: 429 });
    });
  const refused = [refuse(200), refuse(115)];
  await clock.advance(200);
  await Promise.all(refused);
  expect(pauses).toEqual([5000]);

  const sent: number[] = [];
  const start = clock.monotonic();
  const many = Array.from({ length: 30 }, () =>
    queue.send(aRequest(), async () => {
      sent.push(clock.monotonic() - start);
      return toResponse({});
    }),
  );
  await clock.advance(4999);
  expect(sent).toEqual([]);
  await clock.advance(1001);
  expect(sent.length).toBeGreaterThanOrEqual(4);
  expect(sent.length).toBeLessThanOrEqual(6);
  await clock.advance(60_000);
  await Promise.all(many);
});
