/** Shows a run on a terminal: a line of progress, problems above it, the summary at the end. */
import type { Paint } from './paint.ts';
import { formatBar } from './progress.ts';
import type { Listener } from './run-state.ts';
import { formatEvent } from './format-event.ts';
import { lineWidth, columnsOf } from './text.ts';
import ora, { type Ora } from 'ora';

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

export type Screen = ReturnType<typeof openScreen>;

export interface TerminalStream extends NodeJS.WritableStream {
  readonly columns?: number;
}

/** Leaves standard input alone, because an export may be piped in. */
export function openScreen(stream: TerminalStream, colored: boolean) {
  let spinner: Ora | undefined;
  // A proxy is used only if needed, because ora hooks the write functions of the stream and would restore the wrong one.
  const drawn = columnsOf(stream.columns) === stream.columns ? stream : withColumns(stream);
  return {
    /** Read for each line, because windows are resized. */
    columns: () => columnsOf(stream.columns),
    /** Redraws the changing line. */
    show(line: string) {
      spinner ??= ora({
        stream: drawn,
        isEnabled: true,
        discardStdin: false,
        color: colored ? 'cyan' : false,
      }).start();
      spinner.text = line;
      spinner.render();
    },
    /** Removes the changing line and prints lines that stay. */
    print(lines: readonly string[]) {
      spinner?.stop();
      spinner = undefined;
      if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
    },
  };
}

/** ora divides by the columns to count its lines, and would loop forever at 0. */
function withColumns(stream: TerminalStream) {
  return new Proxy(stream, {
    get(target, name) {
      if (name === 'columns') return columnsOf(target.columns);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}
