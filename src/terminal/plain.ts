/** Writes a run as lines of a log, with one line of progress a minute. */
import type { WaitReason } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import { formatStart } from './lines.ts';
import type { Paint } from './paint.ts';
import { formatProgress } from './progress.ts';
import { follow, idle, type Shown, type RunState } from './run-state.ts';
import { formatEvent } from './format-event.ts';

const betweenLinesMs = 60_000;

export interface PlainOutput {
  readonly print: (lines: readonly string[]) => void;
  readonly width: number;
  readonly paint: Paint;
}

/** `own` may show an event in another form; it returns whether it has. */
export function createPlain(
  { print, width, paint }: PlainOutput,
  clock: Pick<Clock, 'monotonic'>,
  own: (event: Shown, state: RunState) => boolean = () => false,
): (event: Shown) => void {
  let state = idle(clock.monotonic());
  let lastLineAt = state.startedAt;
  /** When each reason to wait was last told. */
  let toldWaits: Partial<Record<WaitReason, number>> = {};

  return (event) => {
    const now = clock.monotonic();
    state = follow(state, event, now);
    switch (event.type) {
      case 'run:start':
        lastLineAt = now;
        toldWaits = {};
        if (!own(event, state)) print([formatStart(event)]);
        break;
      case 'run:progress':
      case 'tick':
        if (now - lastLineAt < betweenLinesMs) break;
        lastLineAt = now;
        print([formatProgress(state, now)]);
        break;
      case 'run:waiting':
        // The first wait for a reason is told at once.
        if (now - (toldWaits[event.reason] ?? Number.NEGATIVE_INFINITY) < betweenLinesMs) break;
        toldWaits[event.reason] = now;
        lastLineAt = now;
        print([formatProgress(state, now)]);
        break;
      default:
        if (!own(event, state)) print(formatEvent(event, state, width, paint) ?? []);
    }
  };
}
