/**
 * Limits guessing. After a few wrong passwords, each further one doubles the time until the user, or the client address, may
 * try again. Until then the old system is not asked. Counts only the most recent users and addresses, in memory.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { Answer, LoginAttempt } from './verifier.ts';

export interface GuessRule {
  /** Wrong passwords before the first delay. */
  readonly free: number;
  /** First delay in milliseconds. Each further delay is twice as long, up to `longestDelay`. */
  readonly firstDelay: number;
  readonly longestDelay: number;
}

export const userRule: GuessRule = { free: 3, firstDelay: 1000, longestDelay: 15 * 60_000 };
/** Allows more tries, because many users may share an address. */
export const addressRule: GuessRule = { free: 30, firstDelay: 1000, longestDelay: 5 * 60_000 };

/** Time (ms) without a wrong password after which earlier ones are forgotten. */
export const forgetAfter = 60 * 60_000;
/** Time (ms) for which a wrong password is remembered, so that repeating it asks no verifier again. */
const repeatFor = 10_000;

export type GuessLimits = ReturnType<typeof createGuessLimits>;

/** Every try counts as wrong from its start, so that many tries at once cannot get past the limit. */
export function createGuessLimits(clock: Clock, { free, firstDelay, longestDelay }: GuessRule) {
  const counts = createRecent<{ readonly wrong: number; readonly until: number }>(clock, forgetAfter);
  return {
    /** Counts a try. Resolves to false, without counting, if the key has to wait. */
    async take(key: string) {
      const now = clock.monotonic();
      const before = counts.get(key) ?? { wrong: 0, until: now };
      if (before.until > now) return false;
      const wrong = before.wrong + 1;
      const delay = wrong <= free ? 0 : Math.min(longestDelay, firstDelay * 2 ** (wrong - free - 1));
      counts.put(key, { wrong, until: now + delay });
      return true;
    },
    /** Takes a try back that was not a wrong password. */
    async giveBack(key: string) {
      const { wrong = 1 } = counts.get(key) ?? {};
      if (wrong <= 1) counts.delete(key);
      else counts.put(key, { wrong: wrong - 1, until: 0 });
    },
    /** Clears the count, because the password was right. */
    async forget(key: string) {
      counts.delete(key);
    },
  };
}

/** Asks once per user and password. Later calls get the answer of the first. */
export type Repeats = (attempt: LoginAttempt, ask: () => Promise<Repeated>) => Promise<Repeated>;
type Repeated = Answer | 'limited' | 'migrated-before';

/**
 * The login pages check each password twice, which is one guess. Keeps a keyed digest of the password while it is checked,
 * and for some seconds more if it was wrong.
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

export type Recent<Value> = ReturnType<typeof createRecent<Value>>;

const mostKeys = 100_000;

/** A map that forgets its oldest entries, and each entry after `knownFor` milliseconds. */
export function createRecent<Value>(clock: Clock, knownFor: number) {
  /** Most recent entries last. */
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    /** Returns undefined for unknown and expired keys. */
    get(key: string) {
      const entry = entries.get(key);
      return entry !== undefined && entry.until > clock.monotonic() ? entry.value : undefined;
    },
    put(key: string, value: Value) {
      entries.delete(key);
      entries.set(key, { value, until: clock.monotonic() + knownFor });
      if (entries.size > mostKeys) entries.delete(entries.keys().next().value!);
    },
    delete: (key: string) => void entries.delete(key),
  };
}
