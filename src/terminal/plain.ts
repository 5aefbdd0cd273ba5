/** Writes a run as log lines, with progress once a minute. */
import type { WaitReason } from '../events.ts';
import { formatStart, formatEvent } from './format-event.ts';
import type { Paint } from './paint.ts';
import { formatProgress } from './progress.ts';
import type { Listener, RunState, Shown } from './run-state.ts';

const betweenLinesMs = 60_000;

export interface PlainOutput {
  readonly print: (lines: readonly string[]) => void;
  readonly width: number;
  readonly paint: Paint;
}

/** `own` may show an event in its own way. It returns whether it did. */
export function createPlain(
  { print, width, paint }: PlainOutput,
  own: (event: Shown, state: RunState) => boolean = () => false,
): Listener {
  let lastLineAt: number | undefined;
  /** When each reason to wait was last shown. */
  let toldWaits: Partial<Record<WaitReason, number>> = {};

  return (event, state, now) => {
    switch (event.type) {
      case 'run:start':
        lastLineAt = now;
        toldWaits = {};
        if (!own(event, state)) print([formatStart(event)]);
        break;
      case 'run:progress':
      case 'tick':
        if (now - (lastLineAt ?? state.startedAt) < betweenLinesMs) break;
        lastLineAt = now;
        print([formatProgress(state, now)]);
        break;
      case 'run:waiting':
        // The first wait for a reason is shown at once.
        if (now - (toldWaits[event.reason] ?? -Infinity) < betweenLinesMs) break;
        toldWaits[event.reason] = now;
        lastLineAt = now;
        print([formatProgress(state, now)]);
        break;
      default:
        if (!own(event, state)) print(formatEvent(event, state, width, paint) ?? []);
    }
  };
}
