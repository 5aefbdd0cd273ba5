/** Inside: every wait of a library that asks for `setTimeout` itself takes no time; outside: as always. */
import { vi } from 'vitest';

export async function hurry<T>(work: () => Promise<T>): Promise<T> {
  const real = globalThis.setTimeout;
  const fast = (call: () => void, ms = 0): NodeJS.Timeout => real(call, ms >= 500 ? 0 : ms);
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(fast);
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}
