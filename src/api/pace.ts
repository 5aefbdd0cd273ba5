/** A `Dispatch` in, one that takes its turn in the line out; a 429 that means the rate holds the whole line. */
import type { Clock } from '../lib/clock.ts';
import type { Line, Turn } from './line.ts';
import { judgeAnswer, parseRetryAfter } from './policy.ts';
import { readProblem } from './problem.ts';
import type { ApiAnswer, ApiRequest, Dispatch, Waiter } from './send.ts';

/** How long the line stands still after a 429 without Retry-After, in milliseconds. */
export interface HoldRule {
  /**
   * Where the service bans an address for so long, anything sent before the ban is over is lost and may prolong it,
   * and nothing tells a ban from a mere 429: so the first hold is already this long.
   */
  readonly ban?: number | undefined;
  /** Else the first hold; it doubles with each hold in a row. */
  readonly first: number;
  readonly longest: number;
}

export const defaultHold: HoldRule = { first: 1000, longest: 60_000 };

export interface PaceOptions {
  readonly line: Line;
  readonly clock: Clock;
  readonly hold?: HoldRule;
  /** Told every answer. */
  readonly onAnswer?: (answer: ApiAnswer) => void;
  /** Called when the line begins to stand still, with milliseconds. */
  readonly onHold?: (ms: number) => void;
}

/** A second beyond the end of a ban, and up to a second more by chance: clocks differ. */
const margin = 1000;

export function pace(options: PaceOptions): (dispatch: Dispatch) => Dispatch {
  const { line, clock, hold = defaultHold, onAnswer, onHold } = options;
  const holdFor = (answer: ApiAnswer, inARow: number): number => {
    const asked = parseRetryAfter(answer.headers['retry-after'], clock.now());
    const chance = clock.random() * margin;
    if (asked !== undefined) return asked + chance / 4;
    if (hold.ban !== undefined) return hold.ban + margin + chance;
    return Math.min(hold.first * 2 ** (inARow - 1), hold.longest) + chance;
  };
  const look = (turn: Turn, answer: ApiAnswer): void => {
    let refused = false;
    try {
      onAnswer?.(answer);
      refused = answer.status === 429 && judgeAnswer(readProblem(answer)) === 'hold';
      if (refused) {
        const before = line.held;
        line.hold(turn, (inARow) => holdFor(answer, inARow));
        if (before === 0) onHold?.(line.held);
      }
    } finally {
      line.leave(turn, refused);
    }
  };
  const go = (dispatch: Dispatch, request: ApiRequest, turn: Turn, waiter: Waiter): void =>
    dispatch(request, {
      answered(answer) {
        look(turn, answer);
        waiter.answered(answer);
      },
      failed(error) {
        line.leave(turn, false);
        waiter.failed(error);
      },
    });
  const enter = (signal: AbortSignal | undefined): Turn | Promise<Turn> => {
    try {
      return line.enter(signal);
    } catch (error) {
      return Promise.reject(error);
    }
  };
  return (dispatch) => (request, waiter) => {
    const entered = enter(request.signal);
    if (!(entered instanceof Promise)) {
      go(dispatch, request, entered, waiter);
      return;
    }
    entered.then(
      (turn) => go(dispatch, request, turn, waiter),
      (error: unknown) => waiter.failed(error),
    );
  };
}
