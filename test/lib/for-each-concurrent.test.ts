import { expect, test } from 'vitest';
import { forEachConcurrent } from '../../src/lib/for-each-concurrent.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

async function* numbers(count: number) {
  for (let number = 0; number < count; number++) yield number;
}

test('forEachConcurrent handles the given number of items at once, in order', async () => {
  let running = 0;
  let most = 0;
  const started: number[] = [];
  await forEachConcurrent(numbers(100), 3, async (number) => {
    started.push(number);
    most = Math.max(most, ++running);
    await nextTurn();
    running -= 1;
  });
  expect(started).toEqual(Array.from({ length: 100 }, (_, at) => at));
  expect({ most, running }).toEqual({ most: 3, running: 0 });
});

test('forEachConcurrent reads at most one item ahead', async () => {
  let read = 0;
  let done = 0;
  async function* items() {
    for (; read < 30; read++) {
      expect(read - done).toBeLessThanOrEqual(3);
      yield read;
    }
  }
  await forEachConcurrent(items(), 2, async () => {
    await nextTurn();
    done += 1;
  });
  expect(done).toBe(30);
});

test('forEachConcurrent starts nothing after an error, and throws the first error', async () => {
  let running = 0;
  const done: number[] = [];
  const work = async (number: number) => {
    running += 1;
    await nextTurn();
    running -= 1;
    if (number === 5) throw new Error('five');
    done.push(number);
  };
  await expect(forEachConcurrent(numbers(100), 3, work)).rejects.toThrow('five');
  expect(running).toBe(0);
  expect(done.length).toBeLessThan(10);
});

test('forEachConcurrent throws the error of the items after running tasks end', async () => {
  let done = 0;
  async function* items() {
    yield 1;
    throw new Error('cannot be read');
  }
  const work = async () => {
    await nextTurn();
    done += 1;
  };
  await expect(forEachConcurrent(items(), 3, work)).rejects.toThrow('cannot be read');
  expect(done).toBe(1);
});

test('forEachConcurrent starts nothing after its signal', async () => {
  const done: number[] = [];
  const stop = new AbortController();
  const work = async (number: number) => {
    await nextTurn();
    if (done.push(number) === 4) stop.abort();
  };
  await forEachConcurrent(numbers(100), 2, work, stop.signal);
  expect(done.length).toBeLessThanOrEqual(6);
});
