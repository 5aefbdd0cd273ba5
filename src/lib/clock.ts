/** Time and randomness behind an interface, so that tests neither wait nor depend on chance. */
import { setTimeout } from 'node:timers/promises';

export interface Clock {
  /** Wall time in milliseconds since 1970, for timestamps. */
  now(): number;
  /** A time in milliseconds that never jumps, for waiting and measuring. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds. Rejects with the signal's reason if that comes first. In the background, it does not keep
   * the process running.
   */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly background: boolean }): Promise<void>;
  /** Returns a number from 0 to below 1. */
  random(): number;
}

/** Returns a function that returns the seconds since the stopwatch was made. */
export function stopwatch(clock: Clock) {
  const start = clock.monotonic();
  return () => (clock.monotonic() - start) / 1000;
}

/** Parses a time into milliseconds since 1970. Returns undefined if the text is not a time. */
export function parseTime(text: string) {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** Returns the latest of the known times, or undefined if none is known. */
export function latest(times: readonly (number | undefined)[]) {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal, options) =>
    setTimeout(ms, undefined, { ...(signal && { signal }), ref: options?.background !== true }).catch(() =>
      signal?.throwIfAborted(),
    ),
  random: () => Math.random(),
};
