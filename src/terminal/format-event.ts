/** The lines that an event prints, on a terminal and in a log. */
import type { EventOf } from '../events.ts';
import { printable, formatSeconds } from '../lib/format.ts';
import { formatNotice, formatNthRejection } from './lines.ts';
import type { Paint } from './paint.ts';
import { formatProblem } from './problem.ts';
import type { RunState, Shown } from './run-state.ts';
import { formatEnd } from './summary.ts';
import { wrap } from './text.ts';

/** Returns the lines of an event, or undefined for events without lines. `state` is the state after the event. */
export function formatEvent(event: Shown, state: RunState, width: number, paint: Paint) {
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

const indent = 5;

/** Formats a step of `idport demo` with its commands, or the result. */
function formatDemo(event: EventOf<'demo:step' | 'demo:result' | 'demo:end'>, width: number, paint: Paint) {
  switch (event.type) {
    case 'demo:step':
      // A command stays on one line, so that it can be copied.
      return [
        '',
        ...wrap(event.title, width, `${event.number}/${event.of}  `, indent).map((line) => paint.title(line)),
        ...event.commands.map((command) => paint.faint(`${' '.repeat(indent)}$ ${printable(command)}`)),
      ];
    case 'demo:result':
      return event.lines.flatMap((line) =>
        wrap(printable(line), width, ' '.repeat(indent)).map((text) => paint.good(text)),
      );
    case 'demo:end':
      return [
        '',
        `Done in ${formatSeconds(event.seconds)}. Nothing left this machine, and the temporary folder is deleted.`,
        ...(event.jit ? [] : [formatPage(event.page)]),
        'Next, with your own export: idport init <export> --rehearsal',
      ].flatMap((line) => wrap(line, width));
  }
}

function formatPage(page: string | undefined) {
  return page === undefined
    ? 'To keep the page of this migration: idport demo --page cutover.html'
    : `The page of this migration: ${printable(page)}`;
}
