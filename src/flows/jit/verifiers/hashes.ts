/** Checks passwords with the hashes of the `--jit-list` list. Needs no old system. */
import type { Clock } from '../../../lib/clock.ts';
import type { HashThreads } from '../../hashing/hash-threads.ts';
import { AttemptError, type Verdict, type Verifier } from '../verifier.ts';

/** Time (ms) for which a user is not checked again after the hash took too long. */
const slowFor = 60_000;

/** Checks one password per user at a time, so that a slow hash occupies one thread at most. */
export function hashes(threads: HashThreads, clock: Clock): Omit<Verifier, 'name'> {
  const running = new Map<string, Promise<unknown>>();
  const slowUntil = new Map<string, number>();
  return {
    isLocal: true,
    async check({ userId, listed, password }, signal) {
      const form = listed?.form;
      if (form === undefined) return 'unknown';
      const verify = async (): Promise<Verdict> => {
        signal.throwIfAborted();
        if ((slowUntil.get(userId) ?? 0) > clock.monotonic())
          throw new AttemptError('its hash takes too long');
        slowUntil.delete(userId);
        const asked = clock.monotonic();
        let begun = Infinity;
        const begins = () => void (begun = clock.monotonic());
        const result = await threads.verify(form, password, signal, begins).catch((error: unknown) => {
          const now = clock.monotonic();
          // Do not blame a task that waited longer than it ran.
          if (signal.aborted && now - begun > begun - asked) slowUntil.set(userId, now + slowFor);
          throw error;
        });
        if (typeof result !== 'boolean') throw new AttemptError(result.detail);
        return result ? 'right' : 'wrong';
      };
      const before = running.get(userId) ?? Promise.resolve();
      const verified = before.then(verify, verify);
      running.set(userId, verified);
      try {
        return await verified;
      } finally {
        if (running.get(userId) === verified) running.delete(userId);
      }
    },
    close: async () => {},
  };
}
