/**
 * Limits guessing: wrong passwords of a user, and of a client address, make the next one wait longer and longer. While
 * it waits, the old system is not asked. Counted in memory, for the most recent users and addresses only.
 */
import type { Clock } from '../../lib/clock.ts';

export interface GuessRule {
  /** Wrong passwords before the first delay. */
  readonly free: number;
  /** The first delay in milliseconds; each further one is twice as long. */
  readonly firstDelay: number;
  readonly longestDelay: number;
}

export const userRule: GuessRule = { free: 3, firstDelay: 1000, longestDelay: 15 * 60_000 };
/** Many users may share an address. */
export const addressRule: GuessRule = { free: 30, firstDelay: 1000, longestDelay: 5 * 60_000 };

/** Wrong passwords are forgotten after so long (ms) without another one. */
export const forgetAfter = 60 * 60_000;
const mostKeys = 100_000;

/** A password counts as wrong from the moment it is tried, so that many at once do not get past the limit. */
export interface GuessLimits {
  /** False where the key has to wait; the try is not counted then. */
  take(key: string): Promise<boolean>;
  /** The try was not a wrong password. */
  giveBack(key: string): Promise<void>;
  /** The password was right: nothing is left to count. */
  forget(key: string): Promise<void>;
}

interface Count {
  readonly wrong: number;
  readonly until: number;
  readonly at: number;
}

export function createGuessLimits(clock: Clock, { free, firstDelay, longestDelay }: GuessRule): GuessLimits {
  /** The most recent last. */
  const counts = new Map<string, Count>();
  return {
    async take(key) {
      const now = clock.monotonic();
      const before = counts.get(key);
      if (before !== undefined && before.until > now) return false;
      const wrong = (before !== undefined && now - before.at < forgetAfter ? before.wrong : 0) + 1;
      const delay = wrong <= free ? 0 : Math.min(longestDelay, firstDelay * 2 ** (wrong - free - 1));
      counts.delete(key);
      counts.set(key, { wrong, until: now + delay, at: now });
      if (counts.size > mostKeys) counts.delete(counts.keys().next().value!);
      return true;
    },
    async giveBack(key) {
      const count = counts.get(key);
      if (count === undefined) return;
      if (count.wrong <= 1) counts.delete(key);
      else counts.set(key, { ...count, wrong: count.wrong - 1, until: 0 });
    },
    async forget(key) {
      counts.delete(key);
    },
  };
}
