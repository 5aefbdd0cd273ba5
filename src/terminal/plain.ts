/** Writes a run as lines of a log, with a line of progress every few seconds. */
import type { Emit } from '../events.ts';
import type { Clock } from '../lib/clock.ts';
import { formatDemo } from './demo.ts';
import { formatNotice, formatNthRejection, formatStart } from './lines.ts';
import type { Paint } from './paint.ts';
import { formatProblem } from './problem.ts';
import { formatProgress } from './progress.ts';
import { follow, idle } from './run-state.ts';
import { formatSummary } from './summary.ts';
import { formatExportEnd, formatImportEnd } from './transfer.ts';
import { formatUndoEnd } from './undone.ts';
import { formatVerifyEnd } from './verified.ts';

const betweenLinesMs = 5000;

export function createPlain(
  print: (lines: readonly string[]) => void,
  clock: Pick<Clock, 'monotonic'>,
  width: number,
  paint: Paint,
): Emit {
  let state = idle(clock.monotonic());
  let lastLineAt = state.startedAt;

  return (event) => {
    const now = clock.monotonic();
    state = follow(state, event, now);
    switch (event.type) {
      case 'run:start':
        lastLineAt = now;
        print([formatStart(event)]);
        break;
      case 'run:progress':
        if (now - lastLineAt < betweenLinesMs) break;
        lastLineAt = now;
        print([formatProgress(state, now)]);
        break;
      case 'run:waiting':
        lastLineAt = now;
        print([formatProgress(state, now)]);
        break;
      case 'notice':
        print(formatNotice(event, width, paint));
        break;
      case 'record:rejected':
        print(formatNthRejection(event, state.rejected, width, paint));
        break;
      case 'run:end':
        print(formatSummary(event, state, width, paint));
        break;
      case 'import:end':
        print(formatImportEnd(event, state, width, paint));
        break;
      case 'export:end':
        print(formatExportEnd(event, state, width, paint));
        break;
      case 'verify:end':
        print(formatVerifyEnd(event, state, width, paint));
        break;
      case 'undo:end':
        print(formatUndoEnd(event, width, paint));
        break;
      case 'demo:step':
      case 'demo:result':
      case 'demo:end':
        print(formatDemo(event, width, paint));
        break;
      case 'problem':
        print(formatProblem(event, width, paint));
        break;
      default:
    }
  };
}
