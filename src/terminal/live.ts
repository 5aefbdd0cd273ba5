/** Shows a run on a terminal: one moving line, problems above it, the summary at the end. */
import type { Paint } from './paint.ts';
import { formatBar } from './progress.ts';
import type { Listener } from './run-state.ts';
import type { Screen } from './screen.ts';
import { formatEvent } from './format-event.ts';
import { lineWidth } from './text.ts';

/** Columns of the spinner and the cursor. */
const spinnerColumns = 3;

/** A run that is over sooner than this never shows a moving line. */
const patienceMs = 200;

export function createLive(screen: Screen, paint: Paint): Listener {
  return (event, state, now) => {
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
