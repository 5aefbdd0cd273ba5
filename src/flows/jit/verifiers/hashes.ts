/** The list of `migrate --jit-list`: no old system is needed. */
import type { Clock } from '../../../lib/clock.ts';
import type { HashThreads } from '../../hashing/hash-threads.ts';
import { AttemptError, type Verdict, type Verifier } from '../verifier.ts';

/** A user whose hash took too long is not checked again for so long (ms). */
const slowFor = 60_000;

/** One password of a user at a time, so that a slow hash keeps one thread at most. */
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
        const task = { do: 'verify', form, password } as const;
        const result = await threads.run(task, signal, begins).catch((error: unknown) => {
          const now = clock.monotonic();
          // A task that waited longer than it ran is not to blame.
          if (signal.aborted && now - begun > begun - asked) slowUntil.set(userId, now + slowFor);
          throw error;
        });
        if ('matches' in result) return result.matches ? 'right' : 'wrong';
        throw new AttemptError(result.problem);
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
