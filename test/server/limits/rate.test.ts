import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateLimiter, hostedRate, type RateLimiter } from '../../../src/server/limits/rate.ts';

const start = Date.UTC(2026, 0, 1);

/** Sends `perSecond` requests in each of `seconds` seconds and returns how many passed. */
function send(limiter: RateLimiter, perSecond: number, seconds: number, from = start): number {
  let passed = 0;
  for (let second = 0; second < seconds; second++) {
    for (let i = 0; i < perSecond; i++) {
      if (limiter.take('a', from + second * 1000 + i).allowed) passed++;
    }
  }
  return passed;
}

describe('the rate limit', () => {
  it('bans for a minute when the rate is broken over three minutes', () => {
    const limiter = createRateLimiter(hostedRate(5));
    send(limiter, 6, 149);
    expect(limiter.take('a', start + 149_000)).toMatchObject({ allowed: false, banned: false });
    send(limiter, 6, 2, start + 149_000);
    const banned = limiter.take('a', start + 150_500);
    expect(banned).toMatchObject({ allowed: false, banned: true });
    expect(limiter.take('a', start + 209_000)).toMatchObject({ banned: true });
    expect(limiter.take('a', start + 400_000).allowed).toBe(true);
  });

  it('takes other windows, and no ban where none is', () => {
    const calm = createRateLimiter({ perSecond: 2, windowSeconds: 5, ban: null });
    expect(send(calm, 3, 5)).toBe(10);
    expect(send(calm, 1000, 60, start + 60_000)).toBe(10);
    expect(send(calm, 2, 60, start + 200_000)).toBe(120);
    const strict = createRateLimiter({
      perSecond: 10,
      windowSeconds: 60,
      ban: { perSecond: 20, windowSeconds: 3, seconds: 5 },
    });
    expect(send(strict, 61, 1)).toBe(60);
    expect(strict.take('a', start + 1000)).toMatchObject({ banned: true, retryAfter: 5 });
    expect(strict.take('a', start + 6000).allowed).toBe(true);
    const even = createRateLimiter({
      perSecond: 1,
      windowSeconds: 10,
      ban: { perSecond: 1, windowSeconds: 10, seconds: 2 },
    });
    expect(send(even, 11, 1)).toBe(10);
    expect(even.take('a', start + 1000)).toMatchObject({ banned: true });
    expect(even.take('a', start + 30_000).allowed).toBe(true);
  });

  it('keeps addresses apart', () => {
    const limiter = createRateLimiter(hostedRate(1));
    send(limiter, 100, 1);
    expect(limiter.take('a', start + 1000).allowed).toBe(false);
    expect(limiter.take('b', start + 1000).allowed).toBe(true);
    limiter.reset();
    expect(limiter.take('a', start + 1000).allowed).toBe(true);
  });

  it('holds its memory when every request comes from another address', () => {
    const limiter = createRateLimiter(hostedRate(1));
    for (let i = 0; i < 61; i++) limiter.take('patient', start);
    expect(limiter.take('patient', start).allowed).toBe(false);
    for (let i = 0; i < 10_000; i++) limiter.take(`10.0.${i}`, start);
    expect(limiter.take('patient', start).allowed).toBe(true);
  });

  it('agrees with a plain list of times, at any pattern of requests', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 1, max: 40 })), {
          maxLength: 40,
        }),
        (steps) => {
          const limiter = createRateLimiter(hostedRate(1));
          const seconds: number[] = [];
          let second = Math.floor(start / 1000);
          for (const [wait, requests] of steps) {
            second += wait;
            for (let i = 0; i < requests; i++) {
              seconds.push(second);
              const verdict = limiter.take('a', second * 1000);
              const within = seconds.filter((one) => one > second - 60).length;
              const banned = !verdict.allowed && verdict.banned;
              expect(banned || verdict.allowed === within <= 60).toBe(true);
            }
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
