/** Writes what the `actions` commands report: notices and tables. */
import { printable } from '../../lib/printable.ts';
import type { CommandContext } from '../context.ts';

export function notify(
  { emit }: CommandContext,
  level: 'info' | 'warning',
  code: string,
  text: string,
): void {
  emit({ type: 'notice', level, code, text });
}

/** Columns are as wide as their widest text; the last one is not padded. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows.map((row) => row.map(printable))];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}
