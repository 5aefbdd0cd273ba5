/** A terminal with one line that changes and lines that stay. */
import ora, { type Ora } from 'ora';

/** What a listener draws on; tests have one that remembers. */
export interface Screen {
  /** Columns to write to, asked anew for each line: windows change. */
  columns(): number;
  /** Draws the changing line anew. */
  show(line: string): void;
  /** Takes the changing line away and writes lines that stay. */
  print(lines: readonly string[]): void;
}

export interface TerminalStream extends NodeJS.WritableStream {
  readonly columns?: number;
}

/** The spinner takes two columns; standard input stays untouched, since an export may come through it. */
export function openScreen(stream: TerminalStream, colored: boolean): Screen {
  let spinner: Ora | undefined;
  // Only where it must be: the spinner hooks the writing of both, and of two that are one it gives back the wrong one.
  const drawn = columnsOf(stream) === stream.columns ? stream : withColumns(stream);
  const open = (): Ora =>
    ora({ stream: drawn, isEnabled: true, discardStdin: false, color: colored ? 'cyan' : false });

  return {
    columns: () => columnsOf(stream),
    show(line) {
      spinner ??= open().start();
      spinner.text = line;
      spinner.render();
    },
    print(lines) {
      spinner?.stop();
      spinner = undefined;
      if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
    },
  };
}

/** Terminals without a window (`docker exec -t`, expect, a serial line) say 0. */
export function columnsOf({ columns }: Pick<TerminalStream, 'columns'>): number {
  return columns === undefined || columns <= 0 ? 80 : columns;
}

/** The spinner counts the lines that it has drawn by dividing by the columns, and never ends where these are 0. */
function withColumns(stream: TerminalStream): TerminalStream {
  return new Proxy(stream, {
    get(target, name) {
      if (name === 'columns') return columnsOf(target);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
    },
  });
}
