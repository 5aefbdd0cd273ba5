/** How many requests are under way at once. */
import { expect, test } from 'vitest';
import {
  batchesSideBySide,
  sideBySide,
  type Work,
} from '../../../src/flows/concurrency/for-each-concurrent.ts';
import { Width } from '../../../src/flows/concurrency/concurrency.ts';
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

test('takes the next item as soon as one is done, also when that is at once, through all batches', async () => {
  async function* batches(): AsyncGenerator<Iterable<number>> {
    for (let batch = 0; batch < 20; batch++) yield [3 * batch, 3 * batch + 1, 3 * batch + 2];
  }
  const begun: number[] = [];
  let underWay = 0;
  let most = 0;
  const work: Work<number> = (number, { ended }) => {
    begun.push(number);
    if (number % 4 === 0) return ended();
    most = Math.max(most, ++underWay);
    setImmediate(() => {
      underWay -= 1;
      ended();
    });
  };
  await batchesSideBySide(batches(), { now: 2 }, work, () => false);
  expect(begun).toEqual(Array.from({ length: 60 }, (_, at) => at));
  expect({ most, underWay }).toEqual({ most: 2, underWay: 0 });
});

test('pulls nothing more after an error, whether it is thrown or told', async () => {
  for (const way of ['thrown', 'told']) {
    const begun: number[] = [];
    const work: Work<number> = (number, { ended, failed }) => {
      begun.push(number);
      if (number < 5) return ended();
      const error = new Error(way);
      if (way === 'thrown') throw error;
      failed(error);
    };
    const once = (async function* () {
      yield Array.from({ length: 100 }, (_, at) => at);
    })();
    await expect(batchesSideBySide(once, { now: 3 }, work, () => false)).rejects.toThrow(way);
    expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
  }
});
