/** The client under the very limits of the reference server. */
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { fixedToken } from '../../src/api/credentials.ts';
import { createRateLimiter, hostedRate } from '../../src/server/limits/rate.ts';
import { createFakeClock, callMany, mostWithin } from '../support/clock.ts';

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
      await callMany(clock, { callers: 64, requests }, () =>
        client.attempt({ method: 'POST', path: '/x', repeat: 'unsafe' }),
      );
      expect(refused).toBe(0);
      expect(mostWithin(1000, arrivals)).toBeLessThanOrEqual(rate);
      expect(mostWithin(60_000, arrivals)).toBeLessThanOrEqual(60 * rate);
      const seconds = (arrivals.at(-1)! - arrivals[0]!) / 1000;
      expect((requests - 1) / seconds / rate).toBeGreaterThanOrEqual(0.99);
    },
    120_000,
  );
});
