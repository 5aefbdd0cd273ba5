/**
 * Remembers accepted calls, so that none is accepted twice. The memory is bounded. When it is full, the earliest calls are
 * forgotten, and every call that was signed up to then is refused.
 */
import { refuse, type Refused, type Verified } from './verify.ts';

export const replayProblems = { replayed: 'The same call has come before.' } as const;
export type ReplayProblem = keyof typeof replayProblems;

export type ReplayGuard = ReturnType<typeof createReplayGuard>;

type Call = Pick<Verified, 'signedAt' | 'signatures'>;

/** `most` is the maximum number of remembered signatures, about 150 bytes each. */
export function createReplayGuard(most = 100_000) {
  /** The second of signing, by signature. */
  const admitted = new Map<string, number>();
  /** Calls that were signed up to this second are forgotten. */
  let forgotten = -Infinity;

  /** Forgets a quarter at once, because finding the earliest takes a look at all of them. */
  const forgetEarliest = () => {
    const seconds = [...admitted.values()].sort((one, other) => one - other);
    forgotten = seconds[Math.floor(most / 4)]!;
    for (const [signature, second] of admitted) if (second <= forgotten) admitted.delete(signature);
  };

  return {
    /** Remembers the call, or returns why it is refused. Only for calls with a valid signature. */
    admit({ signedAt, signatures }: Call): Refused<ReplayProblem> | undefined {
      const second = signedAt.getTime() / 1000;
      if (second <= forgotten)
        return refuse('replayed', 'signed before the earliest call that is remembered');
      if (signatures.some((signature) => admitted.has(signature))) {
        return refuse('replayed', 'this call has come before: the same signature and time');
      }
      for (const signature of signatures) admitted.set(signature, second);
      if (admitted.size > most) forgetEarliest();
      return undefined;
    },
    /** Forgets a call that failed here, so that it may be sent again. */
    forget({ signatures }: Call) {
      for (const signature of signatures) admitted.delete(signature);
    },
  };
}
