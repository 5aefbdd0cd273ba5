/** Asks old systems one by one whether a password is right, each with a time limit and a circuit breaker. */
import { type Clock, stopwatch } from '../../lib/clock.ts';
import { failureOf } from '../../api/send.ts';
import { createBreaker, inTime } from './breaker.ts';
import type { ListedUser } from './user-list.ts';

/** A login to verify. `password` appears in no log, message or error. */
export interface LoginAttempt {
  readonly userId: string;
  readonly userName: string;
  readonly loginName: string;
  readonly email: string;
  readonly password: string;
  /** Undefined if the user is not on a list. */
  readonly listed: ListedUser | undefined;
}

/**
 * `expired`: right, but the old system wants it changed, for example a temporary password. `unknown`: the old system does
 * not know this user.
 */
export type Verdict = RightVerdict | 'wrong' | 'unknown';
type RightVerdict = 'right' | 'expired';

export const isRight = (verdict: Answer['verdict']): verdict is RightVerdict =>
  verdict === 'right' || verdict === 'expired';

export interface Verifier {
  /** As in the flag, for example `ldap`. */
  readonly name: string;
  /**
   * Set if the verifier asks no other system. Its failures concern one user and do not pause it, and it has a longer time
   * limit, because hashing is slow on a busy machine.
   */
  readonly isLocal?: true;
  /** Throws if it cannot tell. */
  check(attempt: LoginAttempt, signal: AbortSignal): Promise<Verdict>;
  close(): Promise<void>;
}

/** Thrown by a verifier. The message has no password, and of the old system's response at most a status and a code. */
export class VerifierError extends Error {
  override readonly name = 'VerifierError';
}

/** A failure that concerns one user only, so the breaker does not count it. */
export class AttemptError extends VerifierError {}

export interface Answer {
  /** `failed` if no verifier accepted or rejected the password and at least one could not tell. */
  readonly verdict: Verdict | 'failed';
  /** Name of the verifier that said so. Empty for `unknown`. */
  readonly verifier: string;
}

export type VerifierChain = ReturnType<typeof createVerifierChain>;

interface ChainOptions {
  readonly clock: Clock;
  /** Time limit in milliseconds of a verifier that asks another system. */
  readonly timeout: number;
  readonly onResult: (verifier: string, result: Verdict | 'failed' | 'paused', seconds: number) => void;
  /** Receives the reason why a verifier could not tell. */
  readonly onProblem: (verifier: string, problem: string) => void;
}

/** The first verifier that accepts the password decides. Otherwise `wrong` wins over `failed`, and `failed` over `unknown`. */
export function createVerifierChain(verifiers: readonly Verifier[], options: ChainOptions) {
  const guarded = verifiers.map((verifier) => guard(verifier, options));
  return {
    async ask(attempt: LoginAttempt) {
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

/** Time limit of a local verifier (ms). */
const localTimeout = 5000;

/** The returned `check` never throws. */
function guard(verifier: Verifier, { clock, timeout, onResult, onProblem }: ChainOptions) {
  const [breaker, longest] = verifier.isLocal ? [undefined, localTimeout] : [createBreaker(clock), timeout];
  const check = async (attempt: LoginAttempt) => {
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

/** Library errors may quote what was sent, so only their code is shown. */
function explainFailure(error: unknown) {
  if (error instanceof VerifierError) return error.message;
  const { code, name } = error as NodeJS.ErrnoException;
  return failureOf(error)?.message ?? code ?? name;
}
