/** A terminal with one line that changes, below lines that stay. */
import ora, { type Ora } from 'ora';
import { columnsOf } from './text.ts';

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
