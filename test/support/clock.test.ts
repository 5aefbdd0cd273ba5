import { expect, it } from 'vitest';
import { createFakeClock } from './clock.ts';

it('wakes sleepers in the order of their times, each at its own time', async () => {
  const clock = createFakeClock();
  const woken: string[] = [];
  const sleepThenNote = async (ms: number): Promise<void> => {
    await clock.sleep(ms);
    woken.push(`${ms} at ${clock.monotonic()}`);
  };
  const all = Promise.all([sleepThenNote(300), sleepThenNote(100), sleepThenNote(900)]);
  await clock.advance(500);
  expect(woken).toEqual(['100 at 100', '300 at 300']);
  expect(clock.sleepers).toBe(1);
  await clock.advance(500);
  await all;
  expect(woken).toHaveLength(3);
});

it('ends a sleep with the reason of its signal', async () => {
  const clock = createFakeClock();
  const controller = new AbortController();
  const sleep = clock.sleep(1000, controller.signal);
  controller.abort(new Error('stopped'));
  await expect(sleep).rejects.toThrow('stopped');
  expect(clock.sleepers).toBe(0);
});
