/** The limit of requests by address. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRateLimiter, hostedRate, type RateLimiter } from '../../../src/server/limits/rate.ts';

const start = Date.UTC(2026, 0, 1);

function send(limiter: RateLimiter, requests: number) {
  for (let i = 0; i < requests; i++) limiter.take('a', start);
}

it('createRateLimiter bans for one minute if the hosted rate is exceeded over three minutes', () => {
  const ban = { perSecond: 5, windowSeconds: 180, seconds: 60 };
  expect(hostedRate(5)).toEqual({ perSecond: 5, windowSeconds: 60, ban, clientPerSecond: 4.5 });
});

it('createRateLimiter counts each address alone', () => {
  const limiter = createRateLimiter(hostedRate(1));
  send(limiter, 100);
  const allowed = (address: string) => limiter.take(address, start + 1000) === undefined;
  expect([allowed('a'), allowed('b')]).toEqual([false, true]);
  limiter.reset();
  expect(allowed('a')).toBe(true);
});

it('createRateLimiter limits its memory if every request has another address', () => {
  const limiter = createRateLimiter(hostedRate(1));
  send(limiter, 61);
  expect(limiter.take('a', start)).toBeDefined();
  for (let i = 0; i < 10_000; i++) limiter.take(`10.0.${i}`, start);
  expect(limiter.take('a', start)).toBeUndefined();
});

it('createRateLimiter agrees with a plain list of times for any rule and requests', () => {
  const rate = fc.integer({ min: 1, max: 10 });
  const seconds = fc.integer({ min: 1, max: 90 });
  const ban = fc.record({ perSecond: rate, windowSeconds: seconds, seconds });
  const rule = fc.record({ perSecond: rate, windowSeconds: seconds, ban: fc.option(ban) });
  const step = fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 1, max: 80 }));
  fc.assert(
    fc.property(rule, fc.array(step, { maxLength: 20 }), ({ ban, ...rule }, steps) => {
      const limiter = createRateLimiter({ ...rule, ban });
      const times: number[] = [];
      let now = start;
      let bannedUntil = 0;
      const isOver = ({ perSecond, windowSeconds }: typeof rule) =>
        times.filter((time) => time > now - windowSeconds * 1000).length > perSecond * windowSeconds;
      for (const [wait, requests] of steps) {
        now += wait * 1000;
        for (let i = 0; i < requests; i++) {
          times.push(now);
          if (ban !== null && now >= bannedUntil && isOver(ban)) bannedUntil = now + ban.seconds * 1000;
          const banned = now < bannedUntil;
          const verdict = limiter.take('a', now);
          expect(verdict === undefined).toBe(!banned && !isOver(rule));
          expect(verdict?.banned === true).toBe(banned);
        }
      }
    }),
    { numRuns: 100 },
  );
});
