import { describe, expect, it } from 'vitest';
import { createLine } from '../../src/api/line.ts';
import { pace, type HoldRule } from '../../src/api/pace.ts';
import { retry } from '../../src/api/retry.ts';
import type { Send } from '../../src/api/send.ts';
import type { Limit } from '../../src/api/window-log.ts';
import { createFakeClock, type FakeClock } from '../support/clock.ts';
import { aRequest, over, toAnswer, type Step } from '../support/script.ts';

/** A service that allows so many requests a minute and bans for a minute whoever goes on for too long. */
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
    return toAnswer(step);
  };
  return { send, taken, refused, intoBan };
}

async function sendAll(
  clock: FakeClock,
  service: Strict,
  options: { limits?: Limit[]; hold?: HoldRule; requests: number; callers: number },
): Promise<{ statuses: number[]; holds: number[] }> {
  const holds: number[] = [];
  const line = createLine({ clock, limits: options.limits ?? [] });
  const paced = pace({
    line,
    clock,
    ...(options.hold === undefined ? {} : { hold: options.hold }),
    onHold: (ms) => holds.push(ms),
  });
  const send = over((dispatch) => retry({ clock })(paced(dispatch)), service.send);
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
  return { statuses, holds };
}

const hosted: HoldRule = { ban: 60_000, first: 1000, longest: 60_000 };

describe('a ban of a minute without Retry-After', () => {
  it('is met by those who were under way, and by nobody after them', async () => {
    const clock = createFakeClock();
    const service = strictService(clock, { perMinute: 600, ban: 60_000, latency: 40 });
    const { statuses, holds } = await sendAll(clock, service, {
      limits: [{ count: 20, windowMs: 1000 }],
      hold: hosted,
      requests: 1500,
      callers: 6,
    });
    expect(statuses.every((status) => status === 200)).toBe(true);
    expect(service.taken).toHaveLength(1500);
    expect(service.intoBan.length).toBeGreaterThan(0);
    // One pair of answers can cross with the first 429; nothing goes out after it.
    expect(Math.max(...service.intoBan)).toBeLessThanOrEqual(1);
    for (const ms of holds) expect(ms).toBeGreaterThan(60_000);
  });

  it('never comes at all below the rate', async () => {
    const clock = createFakeClock();
    const service = strictService(clock, { perMinute: 600, ban: 60_000, latency: 40 });
    await sendAll(clock, service, {
      limits: [
        { count: 20, windowMs: 1000 },
        { count: 600, windowMs: 60_000 },
      ],
      hold: hosted,
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

describe('a 429 from someone unknown', () => {
  it('doubles its holds until it lets go', async () => {
    const clock = createFakeClock({ random: [0] });
    let refusals = 5;
    const service: Send = async () => toAnswer(refusals-- > 0 ? { status: 429 } : {});
    const holds: number[] = [];
    const line = createLine({ clock });
    const paced = pace({ line, clock, onHold: (ms) => holds.push(ms) });
    const send = over((dispatch) => retry({ clock })(paced(dispatch)), service);
    const end = send(aRequest({ repeat: 'unsafe' }));
    await clock.advance(600_000);
    expect((await end).status).toBe(200);
    expect(holds).toEqual([1000, 2000, 4000, 8000, 16_000]);
  });

  it('that means too large holds nobody', async () => {
    const clock = createFakeClock();
    const line = createLine({ clock });
    const message = 'grpc: received message larger than max (5000000 vs. 4194304)';
    const send = over(pace({ line, clock }), async () =>
      toAnswer({ status: 429, body: { code: 8, message } }),
    );
    expect((await send(aRequest())).status).toBe(429);
    expect(line.held).toBe(0);
  });
});
