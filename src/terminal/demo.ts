/** The lines of `idport demo`: each step with its command, and the result. */
import type { EventOf } from '../events.ts';
import { formatSeconds } from '../lib/quantity.ts';
import type { Paint } from './paint.ts';
import { printable } from '../lib/printable.ts';
import { wrap } from './text.ts';

export type DemoEvent = EventOf<'demo:step' | 'demo:result' | 'demo:end'>;

const indent = 5;

export function formatDemo(event: DemoEvent, width: number, paint: Paint): string[] {
  switch (event.type) {
    case 'demo:step':
      // A command stays on one line, so that it can be copied.
      return [
        '',
        paint.title(`${event.number}/${event.of}  ${event.title}`),
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
      ];
  }
}

function formatPage(page: string | undefined): string {
  return page === undefined
    ? 'To keep the page of this migration: idport demo --page cutover.html'
    : `The page of this migration: ${printable(page)}`;
}
