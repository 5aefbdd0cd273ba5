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
const forgetAfter = 60 * 60_000;
const mostKeys = 100_000;

export interface GuessLimits {
  /** Whether the old system may be asked now. */
  allows(key: string): boolean;
  failed(key: string): void;
  succeeded(key: string): void;
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
    allows: (key) => (counts.get(key)?.until ?? 0) <= clock.monotonic(),
    failed(key) {
      const now = clock.monotonic();
      const before = counts.get(key);
      const wrong = (before !== undefined && now - before.at < forgetAfter ? before.wrong : 0) + 1;
      const delay = wrong <= free ? 0 : Math.min(longestDelay, firstDelay * 2 ** (wrong - free - 1));
      counts.delete(key);
      counts.set(key, { wrong, until: now + delay, at: now });
      if (counts.size > mostKeys) counts.delete(counts.keys().next().value!);
    },
    succeeded(key) {
      counts.delete(key);
    },
  };
}
