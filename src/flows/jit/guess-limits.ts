/**
 * Limits guessing: wrong passwords of a user, and of a client address, make the next one wait longer and longer. While
 * it waits, the old system is not asked. Counted in memory, for the most recent users and addresses only.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { createRecent } from './recent.ts';
import type { Answer, LoginAttempt } from './verifier.ts';

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
/** A password that was wrong is asked about again after so long (ms). */
const repeatFor = 10_000;

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
}

export function createGuessLimits(clock: Clock, { free, firstDelay, longestDelay }: GuessRule): GuessLimits {
  const counts = createRecent<Count>(clock, forgetAfter);
  return {
    async take(key) {
      const now = clock.monotonic();
      const before = counts.get(key) ?? { wrong: 0, until: now };
      if (before.until > now) return false;
      const wrong = before.wrong + 1;
      const delay = wrong <= free ? 0 : Math.min(longestDelay, firstDelay * 2 ** (wrong - free - 1));
      counts.put(key, { wrong, until: now + delay });
      return true;
    },
    async giveBack(key) {
      const { wrong = 1 } = counts.get(key) ?? {};
      if (wrong <= 1) counts.delete(key);
      else counts.put(key, { wrong: wrong - 1, until: 0 });
    },
    async forget(key) {
      counts.delete(key);
    },
  };
}

/** Asks once for the same password of the same user; later calls get the answer of the first. */
export type Repeats = (attempt: LoginAttempt, ask: () => Promise<Repeated>) => Promise<Repeated>;
type Repeated = Answer | 'limited' | 'migrated-before';

/**
 * The login pages check each password twice, which is one guess. Of a password only a digest is kept, with a key of
 * this process; of answers those that are under way, and for some seconds that it was wrong.
 */
export function createRepeats(clock: Clock): Repeats {
  const key = randomBytes(32);
  const answers = createRecent<Promise<Repeated>>(clock, repeatFor);
  return async ({ userId, password }, ask) => {
    const digest = createHmac('sha256', key)
      .update(JSON.stringify([userId, password]))
      .digest('base64');
    const known = answers.get(digest);
    if (known !== undefined) return known;
    const answer = ask();
    answers.put(digest, answer);
    let isWrong = false;
    try {
      const settled = await answer;
      isWrong = typeof settled === 'object' && settled.verdict === 'wrong';
      return settled;
    } finally {
      if (!isWrong) answers.delete(digest);
    }
  };
}
