/**
 * Remembers accepted calls, so that none is accepted twice. The memory is bounded. When it is full, the calls of the earliest
 * second are forgotten, and every call that was signed up to then is refused.
 */
import { signatureTolerance } from '../wire/signature.ts';
import { refuse, type Refused, type Verified } from './verify.ts';

export const replayProblems = { replayed: 'The same call has come before.' } as const;
export type ReplayProblem = keyof typeof replayProblems;

export type ReplayGuard = ReturnType<typeof createReplayGuard>;

type Call = Pick<Verified, 'signedAt' | 'signatures'>;

interface Bounds {
  /** Seconds. Older calls are refused for their age. */
  readonly tolerance?: number | undefined;
  /** Maximum number of remembered signatures, about 100 bytes each. */
  readonly most?: number;
}

export function createReplayGuard({ tolerance, most = 100_000 }: Bounds = {}) {
  const lifetime = tolerance ?? signatureTolerance;
  /** Signatures by the second of signing. */
  const known = new Map<number, Set<string>>();
  let count = 0;
  /** Calls that were signed up to this second are forgotten. */
  let forgotten = -Infinity;

  const drop = (second: number) => {
    count -= known.get(second)?.size ?? 0;
    known.delete(second);
    forgotten = Math.max(forgotten, second);
  };

  const earliest = () => {
    let found = Infinity;
    for (const second of known.keys()) found = Math.min(found, second);
    return found;
  };

  const open = (second: number, now: number) => {
    const found = known.get(second);
    if (found !== undefined) return found;
    for (const other of known.keys()) if (other + lifetime < now / 1000) drop(other);
    const made = new Set<string>();
    known.set(second, made);
    return made;
  };

  return {
    /** Remembers the call, or returns why it is refused. Only for calls with a valid signature. */
    admit({ signedAt, signatures }: Call, now: number): Refused<ReplayProblem> | undefined {
      const second = signedAt.getTime() / 1000;
      if (second <= forgotten)
        return refuse('replayed', 'signed before the earliest call that is remembered');
      const ids = open(second, now);
      if (signatures.some((signature) => ids.has(signature))) {
        return refuse('replayed', 'this call has come before: the same signature and time');
      }
      const before = ids.size;
      for (const signature of signatures) ids.add(signature);
      count += ids.size - before;
      if (count > most) drop(earliest());
      return undefined;
    },
    /** Forgets a call that failed here, so that it may be sent again. */
    forget({ signedAt, signatures }: Call) {
      const ids = known.get(signedAt.getTime() / 1000);
      for (const signature of signatures) if (ids?.delete(signature) === true) count -= 1;
    },
  };
}
