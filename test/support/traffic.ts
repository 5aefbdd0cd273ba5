/** Many callers at once on a fake clock, and what a service that counts them sees. */
import { type FakeClock, drive } from './clock.ts';

/** So many callers share the requests: each makes the next as soon as its last one ended. */
export function callMany(
  clock: FakeClock,
  { callers, requests }: { readonly callers: number; readonly requests: number },
  call: (number: number) => Promise<unknown>,
): Promise<unknown> {
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < requests) await call(next++);
  };
  return drive(clock, Promise.all(Array.from({ length: callers }, caller)));
}

/** The most of these times within any window: half-open, as a sliding log counts. */
export function mostWithin(windowMs: number, times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [last, time] of sorted.entries()) {
    while (time - sorted[first]! >= windowMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
