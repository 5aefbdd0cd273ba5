/** Shows a run on a terminal: one moving line, problems above it, the summary at the end. */
import type { Clock } from '../lib/clock.ts';
import type { Paint } from './paint.ts';
import { formatBar } from './progress.ts';
import { follow, idle, type Shown } from './run-state.ts';
import type { Screen } from './screen.ts';
import { formatEvent } from './format-event.ts';
import { lineWidth } from './text.ts';

/** Columns of the spinner and the cursor. */
const spinnerColumns = 3;

/** A run that is over sooner than this never shows a moving line. */
const patienceMs = 200;

export function createLive(
  screen: Screen,
  clock: Pick<Clock, 'monotonic'>,
  paint: Paint,
): (event: Shown) => void {
  let state = idle(clock.monotonic());

  return (event) => {
    const now = clock.monotonic();
    state = follow(state, event, now);
    switch (event.type) {
      case 'run:progress':
      case 'run:waiting':
      case 'tick':
        if (now - state.startedAt >= patienceMs) {
          screen.show(formatBar(state, now, screen.columns() - spinnerColumns));
        }
        break;
      // Their lines are on standard output, which may be this terminal.
      case 'user:compared':
      case 'login:tried':
      case 'output:closed':
        screen.print([]);
        break;
      default: {
        const lines = formatEvent(event, state, lineWidth(screen.columns()), paint);
        if (lines !== undefined) screen.print(lines);
      }
    }
  };
}
