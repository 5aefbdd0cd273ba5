/** Time and randomness behind an interface, so that tests neither wait nor depend on chance. */
import { setTimeout } from 'node:timers/promises';

export interface Clock {
  /** Wall time in milliseconds since 1970, for timestamps. */
  now(): number;
  /** A time in milliseconds that never jumps, for waiting and measuring. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds; rejects with the signal's reason when that comes first. In the background it does
   * not keep the process running.
   */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly background: boolean }): Promise<void>;
  /** A number from 0 to below 1. */
  random(): number;
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
