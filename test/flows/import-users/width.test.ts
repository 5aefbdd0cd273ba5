/** How many requests are under way at once. */
import { expect, test } from 'vitest';
import { sideBySide } from '../../../src/flows/import-users/side-by-side.ts';
import { Width } from '../../../src/flows/import-users/width.ts';
import { createFakeClock } from '../../support/clock.ts';

/** A service with `lanes`, each answering a request in 10 ms: more requests than lanes only wait. */
function settleOn(lanes: number, cap: number): number {
  let now = 0;
  const width = new Width({ clock: { monotonic: () => now }, cap, perSecond: undefined });
  for (let answers = 0; answers < 20_000; answers++) {
    now += 10 / Math.min(lanes, width.now);
    width.answered();
  }
  return width.now;
}

test('grows to where more of it brings nothing, and never beyond the cap', () => {
  expect(settleOn(100, 64)).toBe(64);
  const wide = settleOn(40, 1000);
  expect(wide).toBeGreaterThanOrEqual(40);
  expect(wide).toBeLessThanOrEqual(160);
});

test('grows while answers are quick, although other work on the machine makes the rate jump up and down', () => {
  let now = 0;
  const width = new Width({ clock: { monotonic: () => now }, cap: 64, perSecond: undefined });
  for (let answers = 0; answers < 2000; answers++) {
    now += answers % 400 < 200 ? 0.1 : 0.25;
    width.answered();
  }
  expect(width.now).toBe(64);
});

test('halves when an answer is lost', () => {
  const width = new Width({ clock: createFakeClock(), cap: 64, perSecond: 100 });
  expect(width.now).toBe(50);
  width.lost();
  expect(width.now).toBe(25);
});

async function* numbers(count: number): AsyncGenerator<number> {
  for (let number = 0; number < count; number++) yield number;
}

test('works on as many items at a time as the width says, and throws the first error at the end', async () => {
  let underWay = 0;
  let most = 0;
  const done: number[] = [];
  const work = async (number: number): Promise<void> => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
    if (number === 5) throw new Error('five');
    done.push(number);
  };
  await expect(sideBySide(numbers(100), { now: 3 }, work, () => false)).rejects.toThrow('five');
  expect(most).toBe(3);
  expect(underWay).toBe(0);
  expect(done.length).toBeLessThan(10);
});
