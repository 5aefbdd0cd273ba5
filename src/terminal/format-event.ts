/** The lines that an event prints, on a terminal and in a log. */
import { formatDemo } from './demo.ts';
import { formatNotice, formatNthRejection } from './lines.ts';
import type { Paint } from './paint.ts';
import { formatProblem } from './problem.ts';
import type { RunState, Shown } from './run-state.ts';
import { formatEnd } from './summary.ts';

/** `state` is the state after the event. Undefined for events without lines. */
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
    case 'export:end':
    case 'verify:end':
    case 'undo:end':
      return formatEnd(event, state, width, paint);
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
