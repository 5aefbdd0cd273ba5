/** Shows a run on a terminal: one moving line, problems above it, the summary at the end. */
import type { Clock } from '../lib/clock.ts';
import { formatDemo } from './demo.ts';
import { formatNotice, formatNthRejection } from './lines.ts';
import type { Paint } from './paint.ts';
import { formatProblem } from './problem.ts';
import { formatBar } from './progress.ts';
import { follow, idle, type Shown } from './run-state.ts';
import type { Screen } from './screen.ts';
import { formatSummary } from './summary.ts';
import { formatExportEnd, formatImportEnd } from './transfer.ts';
import { formatUndoEnd } from './undone.ts';
import { formatVerifyEnd } from './verified.ts';
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
    const width = lineWidth(screen.columns());
    state = follow(state, event, now);
    switch (event.type) {
      case 'run:progress':
      case 'run:waiting':
      case 'tick':
        if (now - state.startedAt >= patienceMs) {
          screen.show(formatBar(state, now, screen.columns() - spinnerColumns));
        }
        break;
      case 'notice':
        screen.print(formatNotice(event, width, paint));
        break;
      case 'record:rejected':
        screen.print(formatNthRejection(event, state.rejected, width, paint));
        break;
      case 'run:end':
        screen.print(formatSummary(event, state, width, paint));
        break;
      case 'import:end':
        screen.print(formatImportEnd(event, state, width, paint));
        break;
      case 'export:end':
        screen.print(formatExportEnd(event, state, width, paint));
        break;
      case 'verify:end':
        screen.print(formatVerifyEnd(event, state, width, paint));
        break;
      case 'undo:end':
        screen.print(formatUndoEnd(event, width, paint));
        break;
      // Their lines are on standard output, which may be this terminal.
      case 'user:compared':
      case 'login:tried':
      case 'output:closed':
        screen.print([]);
        break;
      case 'demo:step':
      case 'demo:result':
      case 'demo:end':
        screen.print(formatDemo(event, width, paint));
        break;
      case 'problem':
        screen.print(formatProblem(event, width, paint));
        break;
      default:
    }
  };
}
