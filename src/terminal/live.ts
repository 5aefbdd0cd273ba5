/** Shows a run on a terminal: a line of progress, problems above it, the summary at the end. */
import type { Paint } from './paint.ts';
import { formatBar } from './progress.ts';
import type { Listener } from './run-state.ts';
import type { Screen } from './screen.ts';
import { formatEvent } from './format-event.ts';
import { lineWidth } from './text.ts';

/** Columns that the spinner and the cursor take. */
const spinnerColumns = 3;

/** Shorter runs show no line of progress. */
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
      // These are printed on standard output, which may be the same terminal.
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
