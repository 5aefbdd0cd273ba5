/** How many requests are sent at a time. */
import { expect, test } from 'vitest';
import { AdaptiveConcurrency } from '../../src/lib/adaptive-concurrency.ts';
import { createFakeClock } from '../support/clock.ts';

/** A service with `lanes`, each answering a request in 10 ms: more requests than lanes only wait. */
function settleOn(lanes: number, cap: number): number {
  let now = 0;
  const concurrency = new AdaptiveConcurrency({
    clock: { monotonic: () => now },
    maximum: cap,
    perSecond: undefined,
  });
  for (let answers = 0; answers < 20_000; answers++) {
    now += 10 / Math.min(lanes, concurrency.now);
    concurrency.answered();
  }
  return concurrency.now;
}

test('grows to where more of it brings nothing, and never beyond the cap', () => {
  expect(settleOn(100, 64)).toBe(64);
  const wide = settleOn(40, 1000);
  expect(wide).toBeGreaterThanOrEqual(40);
  expect(wide).toBeLessThanOrEqual(160);
});

test('grows while answers are quick, although other work on the machine makes the rate jump up and down', () => {
  let now = 0;
  const concurrency = new AdaptiveConcurrency({
    clock: { monotonic: () => now },
    maximum: 64,
    perSecond: undefined,
  });
  for (let answers = 0; answers < 2000; answers++) {
    now += answers % 400 < 200 ? 0.1 : 0.25;
    concurrency.answered();
  }
  expect(concurrency.now).toBe(64);
});

test('halves when an answer is lost', () => {
  const concurrency = new AdaptiveConcurrency({ clock: createFakeClock(), maximum: 64, perSecond: 100 });
  expect(concurrency.now).toBe(50);
  concurrency.lost();
  expect(concurrency.now).toBe(25);
});
