/** Asks old systems whether a password is right: one after the other, each with a time limit and a circuit breaker. */
import { type Clock, stopwatch } from '../../lib/clock.ts';
import { failureOf } from '../../api/network.ts';
import { createBreaker, inTime } from './breaker.ts';
import type { ListedUser } from './user-list.ts';

/** What a verifier is given. `password` is in no log, message or error. */
export interface LoginAttempt {
  readonly userId: string;
  readonly userName: string;
  readonly loginName: string;
  readonly email: string;
  readonly password: string;
  /** Undefined for a user that no list has. */
  readonly listed: ListedUser | undefined;
}

/**
 * `expired`: right, but the old system wants a new one, as after a temporary password. `unknown`: it does not know this
 * user.
 */
export type Verdict = RightVerdict | 'wrong' | 'unknown';
type RightVerdict = 'right' | 'expired';

export const isRight = (verdict: Answer['verdict']): verdict is RightVerdict =>
  verdict === 'right' || verdict === 'expired';

export interface Verifier {
  /** As in the flag: `ldap`. */
  readonly name: string;
  /**
   * No system is asked: what fails is of one user, and does not pause the verifier. On a busy machine it takes longer than a
   * call has time.
   */
  readonly isLocal?: true;
  /** Throws where it cannot tell. */
  check(attempt: LoginAttempt, signal: AbortSignal): Promise<Verdict>;
  close(): Promise<void>;
}

/** Thrown by a verifier; the text has no password and nothing of the old system's response but its status. */
export class VerifierError extends Error {
  override readonly name = 'VerifierError';
}

/** Says nothing about other users, so it does not count for the breaker. */
export class AttemptError extends VerifierError {}

export interface Answer {
  /** `failed` where no verifier said right, and one of them could not tell. */
  readonly verdict: Verdict | 'failed';
  /** The one that said so; empty for `unknown`. */
  readonly verifier: string;
}

export type VerifierChain = ReturnType<typeof createVerifierChain>;

interface ChainOptions {
  readonly clock: Clock;
  /** Milliseconds for one verifier that asks a system. */
  readonly timeout: number;
  readonly onResult: (verifier: string, result: Verdict | 'failed' | 'paused', seconds: number) => void;
  /** Why a verifier could not tell. */
  readonly onProblem: (verifier: string, problem: string) => void;
}

/** The first that says right decides; else wrong wins over failed, and failed over unknown. */
export function createVerifierChain(verifiers: readonly Verifier[], options: ChainOptions) {
  const guarded = verifiers.map((verifier) => guard(verifier, options));
  return {
    async ask(attempt: LoginAttempt): Promise<Answer> {
      let answer: Answer = { verdict: 'unknown', verifier: '' };
      for (const { name, check } of guarded) {
        const verdict = await check(attempt);
        if (isRight(verdict)) return { verdict, verifier: name };
        if (rank[verdict] > rank[answer.verdict]) answer = { verdict, verifier: name };
      }
      return answer;
    },
    async close() {
      await Promise.all(verifiers.map((verifier) => verifier.close()));
    },
  };
}

const rank = { unknown: 0, failed: 1, wrong: 2, right: 3, expired: 3 } as const;

/** For one that asks no system (ms). */
const localTimeout = 5000;

/** Never throws. */
function guard(verifier: Verifier, { clock, timeout, onResult, onProblem }: ChainOptions) {
  const [breaker, longest] =
    verifier.isLocal === true ? [undefined, localTimeout] : [createBreaker(clock), timeout];
  const check = async (attempt: LoginAttempt): Promise<Verdict | 'failed'> => {
    const seconds = stopwatch(clock);
    if (breaker?.enter() === false) {
      onResult(verifier.name, 'paused', 0);
      return 'failed';
    }
    const limit = new AbortController();
    try {
      const work = verifier.check(attempt, limit.signal);
      const late = (): Error => new VerifierError('it did not answer in time');
      const verdict = await inTime(clock, longest, work, late);
      breaker?.worked();
      onResult(verifier.name, verdict, seconds());
      return verdict;
    } catch (error) {
      if (error instanceof AttemptError) breaker?.left();
      else breaker?.failed(attempt.userId);
      onResult(verifier.name, 'failed', seconds());
      onProblem(verifier.name, explainFailure(error));
      return 'failed';
    } finally {
      limit.abort(new VerifierError('it is not needed any more'));
    }
  };
  return { name: verifier.name, check };
}

/** Errors of libraries may quote what was sent, so of others only their code is shown. */
function explainFailure(error: unknown) {
  if (error instanceof VerifierError) return error.message;
  const { code, name } = error as NodeJS.ErrnoException;
  return failureOf(error)?.message ?? code ?? name;
}
