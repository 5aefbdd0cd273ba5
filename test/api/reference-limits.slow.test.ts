import { describe, expect, it } from 'vitest';
import { createClient, type Client, type ClientOptions } from '../../src/api/client.ts';
import { fixedToken } from '../../src/api/credentials.ts';
import { createReferenceServer } from '../../src/server/index.ts';
import { createRateLimiter, hostedRate } from '../../src/server/limits/rate.ts';
import { createFakeClock, type FakeClock } from '../support/clock.ts';
import { drive } from '../support/drive.ts';

interface Logged {
  readonly at: number;
  readonly status: number;
  readonly note?: string;
}

interface Setup {
  readonly client: Client;
  readonly clock: FakeClock;
  log(): Promise<readonly Logged[]>;
}

/** A hosted service for 10 requests a second over a minute; answers take 40 ms. */
function setup(retryAfter: boolean, options: Partial<ClientOptions>): Setup {
  const clock = createFakeClock();
  const server = createReferenceServer({ rate: 10, retryAfter, clock, controlToken: 'control' });
  const client = createClient({
    url: 'http://localhost',
    credentials: fixedToken(server.tokens.iamOwner),
    clock,
    emit: () => {},
    send: async ({ method, url, headers }) => {
      await clock.sleep(20);
      const answer = await server.app.request(url.slice('http://localhost'.length), {
        method,
        headers: { ...headers },
      });
      const text = await answer.text();
      await clock.sleep(20);
      return { status: answer.status, headers: Object.fromEntries(answer.headers), text };
    },
    ...options,
  });
  return {
    client,
    clock,
    async log() {
      const answer = await server.app.request('/_idport/requests?limit=10000', {
        headers: { authorization: 'Bearer control' },
      });
      return ((await answer.json()) as { requests: Logged[] }).requests;
    },
  };
}

async function callAll({ client, clock }: Setup, requests: number, callers: number): Promise<number> {
  let next = 0;
  let succeeded = 0;
  const caller = async (): Promise<void> => {
    while (next++ < requests) {
      const end = await client.attempt({ method: 'GET', path: '/auth/v1/users/me' });
      if (end.ok) succeeded += 1;
    }
  };
  await drive(clock, Promise.all(Array.from({ length: callers }, caller)));
  return succeeded;
}

/** Refused requests, in groups of those that came within the same half minute. */
function refusals(log: readonly Logged[]): Logged[][] {
  const groups: Logged[][] = [];
  for (const entry of log.toSorted((a, b) => a.at - b.at)) {
    if (entry.status !== 429) continue;
    const group = groups.at(-1);
    if (group !== undefined && entry.at - (group[0]?.at ?? 0) < 30_000) group.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

const callers = 5;

describe('against the reference server', () => {
  it('below the rate there is no refusal at all', async () => {
    const run = setup(false, {
      limits: [
        { count: 9, windowMs: 1000 },
        { count: 590, windowMs: 60_000 },
      ],
      pause: { ban: 60_000, first: 1000, longest: 60_000 },
    });
    expect(await callAll(run, 2500, callers)).toBe(2500);
    expect(refusals(await run.log())).toEqual([]);
  });

  it.each([
    ['without Retry-After', false],
    ['with Retry-After', true],
  ])(
    'too fast, %s, it is refused once at a time, and nothing is sent into a ban a second time',
    async (_, retryAfter) => {
      const run = setup(retryAfter, {
        limits: [{ count: 20, windowMs: 1000 }],
        pause: { ban: 60_000, first: 1000, longest: 60_000 },
      });
      expect(await callAll(run, 4000, callers)).toBe(4000);
      const groups = refusals(await run.log());
      expect(groups.length).toBeGreaterThan(0);
      // Requests that were sent before the first refusal came back, and none after it.
      for (const group of groups) {
        expect(group.length).toBeLessThanOrEqual(callers);
        expect((group.at(-1)?.at ?? 0) - (group[0]?.at ?? 0)).toBeLessThanOrEqual(100);
      }
    },
  );
});

/** Three minutes are the window of the ban; answers take 1 to 3 ms. */
describe('through three minutes under the rule of the hosted service', () => {
  it.each([
    { rate: 45, allowed: 50 },
    { rate: 500, allowed: 500 },
  ])(
    'at $rate/s where $allowed/s are allowed, no request is refused and 99 % of the rate is used',
    async ({ rate, allowed }) => {
      const clock = createFakeClock();
      const limiter = createRateLimiter(hostedRate(allowed));
      const arrivals: number[] = [];
      let refused = 0;
      const client = createClient({
        url: 'http://localhost',
        credentials: fixedToken('token'),
        clock,
        emit: () => {},
        limits: [
          { count: rate, windowMs: 1000 },
          { count: rate * 60, windowMs: 60_000 },
        ],
        send: async () => {
          const { allowed: taken } = limiter.take('here', clock.now());
          if (!taken) refused += 1;
          arrivals.push(clock.monotonic());
          await clock.sleep(1 + (arrivals.length % 3));
          return { status: taken ? 200 : 429, headers: {}, text: '{}' };
        },
      });
      const requests = 180 * rate;
      let next = 0;
      const caller = async (): Promise<void> => {
        while (next++ < requests) await client.attempt({ method: 'POST', path: '/x', repeat: 'unsafe' });
      };
      await drive(clock, Promise.all(Array.from({ length: 64 }, caller)));
      expect(refused).toBe(0);
      expect(worst(arrivals, 1000)).toBeLessThanOrEqual(rate);
      expect(worst(arrivals, 60_000)).toBeLessThanOrEqual(60 * rate);
      const seconds = (arrivals.at(-1)! - arrivals[0]!) / 1000;
      expect((requests - 1) / seconds / rate).toBeGreaterThanOrEqual(0.99);
    },
    120_000,
  );
});

/** Most arrivals within any `ms` milliseconds. */
function worst(arrivals: readonly number[], ms: number): number {
  let most = 0;
  let from = 0;
  for (const [at, arrival] of arrivals.entries()) {
    while (arrival - arrivals[from]! >= ms) from += 1;
    most = Math.max(most, at - from + 1);
  }
  return most;
}
