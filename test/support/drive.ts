/** Drives work that waits on a fake clock to its end: the clock moves only when something sleeps on it. */
import type { FakeClock } from './clock.ts';

/** What waits for a disk or a socket instead is given real time, a millisecond at once. */
export async function drive<Value>(clock: FakeClock, work: Promise<Value>): Promise<Value> {
  const state = { done: false };
  const end = work.finally(() => {
    state.done = true;
  });
  end.catch(() => undefined);
  while (!state.done) {
    if (clock.sleepers > 0) await clock.advance(500);
    else await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return end;
}
