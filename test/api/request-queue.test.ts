import { array, assert, asyncProperty, constantFrom, integer, nat, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestQueue } from '../../src/api/request-queue.ts';
import type { Limit } from '../../src/api/sliding-window.ts';
import { createFakeClock, type FakeClock } from '../support/clock.ts';
import { aRequest, toResponse } from '../support/script.ts';

/** What a service that counts arrivals sees, when requests take `there` to it and `back` again. */
interface Traffic {
  readonly clock: FakeClock;
  readonly limits: readonly Limit[];
  readonly requests: number;
  readonly callers: number;
  /** Latencies of request number i, in milliseconds. */
  readonly there: (i: number) => number;
  readonly back: (i: number) => number;
  /** For how long a timer is late. */
  readonly stall?: (i: number) => number;
}

async function run(traffic: Traffic): Promise<{ arrivals: number[] }> {
  const { clock, there, back, stall } = traffic;
  const queue = new RequestQueue({ clock, limits: traffic.limits });
  const arrivals: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < traffic.requests) {
      const i = next++;
      await queue.send(aRequest(), async () => {
        await clock.sleep(there(i) + (stall?.(i) ?? 0));
        arrivals.push(clock.monotonic());
        await clock.sleep(back(i));
        return toResponse({});
      });
    }
  };
  const all = Promise.all(Array.from({ length: traffic.callers }, caller));
  await drive(clock, all);
  return { arrivals: arrivals.toSorted((a, b) => a - b) };
}

/** Moves the clock on until the work is done. */
async function drive(clock: FakeClock, work: Promise<unknown>): Promise<void> {
  const state = { done: false };
  void work.finally(() => {
    state.done = true;
  });
  for (let i = 0; i < 2000 && !state.done; i++) await clock.advance(1000);
  await work;
}

/** The most that arrived in any window: half-open, as a sliding log counts. */
function worst(arrivals: readonly number[], windowMs: number): number {
  let most = 0;
  let first = 0;
  for (let last = 0; last < arrivals.length; last++) {
    while ((arrivals[last] ?? 0) - (arrivals[first] ?? 0) >= windowMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

const perSecond = (count: number): Limit => ({ count, windowMs: 1000 });

describe('the rate', () => {
  const steady = (ms: number) => () => ms;
  type Kept = Omit<Traffic, 'clock'>;
  it.each<[string, Kept, window: number, most: number, leastRate: number]>([
    [
      'in every sliding second, and used to 99 %',
      { limits: [perSecond(45)], requests: 2000, callers: 20, there: steady(1), back: steady(1) },
      1000,
      45,
      0.985 * 45,
    ],
    [
      'without a burst at the start',
      { limits: [perSecond(50)], requests: 100, callers: 100, there: steady(0), back: steady(1) },
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
      {
        limits: [perSecond(45), { count: 600, windowMs: 60_000 }],
        requests: 1500,
        callers: 8,
        there: steady(3),
        back: steady(3),
      },
      60_000,
      600,
      0,
    ],
    [
      'where it is less than one a second',
      {
        limits: [{ count: 1, windowMs: 2500 }],
        requests: 8,
        callers: 3,
        there: steady(10),
        back: steady(10),
      },
      2500,
      1,
      0,
    ],
  ])('is kept %s', async (_, traffic, window, most, leastRate) => {
    const { arrivals } = await run({ clock: createFakeClock(), ...traffic });
    expect(worst(arrivals, window)).toBeLessThanOrEqual(most);
    const seconds = ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / 1000;
    expect(arrivals.length / seconds).toBeGreaterThan(leastRate);
  });

  it('is kept whatever the latencies and stalls are', async () => {
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
          const { arrivals } = await run({
            clock: createFakeClock(),
            limits: [perSecond(rate)],
            requests: rate * 6,
            callers,
            there: (i) => there * chance(seed + i),
            back: (i) => back * chance(seed * 31 + i * 17),
            // A network that stood still delivers late, and responds late.
            stall: (i) => stalls[i % stalls.length] ?? 0,
          });
          expect(worst(arrivals, 1000)).toBeLessThanOrEqual(rate);
        },
      ),
      { numRuns: 40 },
    );
  });
});

/** A number from 0 to below 1 that looks like chance and is always the same for the same place. */
function chance(place: number): number {
  const wave = Math.sin(place * 12.9898) * 43_758.5453;
  return wave - Math.floor(wave);
}

it('lets a request leave the queue when its signal aborts', async () => {
  const clock = createFakeClock();
  const queue = new RequestQueue({ clock, limits: [{ count: 1, windowMs: 60_000 }] });
  const send = async () => toResponse({});
  await queue.send(aRequest(), send);
  const stop = new AbortController();
  const waiting = queue.send(aRequest({ signal: stop.signal }), send);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  expect(queue.sent).toBe(1);
});

it('goes on after a request that failed', async () => {
  const clock = createFakeClock();
  const queue = new RequestQueue({ clock, limits: [{ count: 1, windowMs: 1000 }] });
  const failing = queue.send(aRequest(), async () => {
    throw new Error('it broke');
  });
  await expect(failing).rejects.toThrow('it broke');
  const next = queue.send(aRequest(), async () => toResponse({}));
  await clock.advance(2000);
  expect((await next).status).toBe(200);
});
