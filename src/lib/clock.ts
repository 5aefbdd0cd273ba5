/** Time and randomness come in through here, so that no test waits and none depends on luck. */
export interface Clock {
  /** Wall time in milliseconds since 1970, for what is written down. */
  now(): number;
  /** A time in milliseconds that never jumps, for waiting and measuring. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when that comes first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number from 0 to below 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal?.addEventListener('abort', stop, { once: true });
    }),
  random: () => Math.random(),
};
