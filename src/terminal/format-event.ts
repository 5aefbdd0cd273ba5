/** The lines that stay of an event, on a terminal and in a log. */
import { formatDemo } from './demo.ts';
import { formatNotice, formatNthRejection } from './lines.ts';
import type { Paint } from './paint.ts';
import { formatProblem } from './problem.ts';
import type { RunState, Shown } from './run-state.ts';
import { formatSummary } from './summary.ts';
import { formatExportEnd, formatImportEnd } from './transfer.ts';
import { formatUndoEnd } from './undone.ts';
import { formatVerifyEnd } from './verified.ts';

/** `state` is the one after the event. Undefined for events that leave none. */
export function formatEvent(
  event: Shown,
  state: RunState,
  width: number,
  paint: Paint,
): string[] | undefined {
  switch (event.type) {
    case 'notice':
      return formatNotice(event, width, paint);
    case 'record:rejected':
      return formatNthRejection(event, state.rejected, width, paint);
    case 'run:end':
      return formatSummary(event, state, width, paint);
    case 'import:end':
      return formatImportEnd(event, state, width, paint);
    case 'export:end':
      return formatExportEnd(event, state, width, paint);
    case 'verify:end':
      return formatVerifyEnd(event, state, width, paint);
    case 'undo:end':
      return formatUndoEnd(event, width, paint);
    case 'demo:step':
    case 'demo:result':
    case 'demo:end':
      return formatDemo(event, width, paint);
    case 'problem':
      return formatProblem(event, width, paint);
    default:
      return undefined;
  }
}
