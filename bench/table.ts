/** Formats rows as one table: of text, or of Markdown for the pages. */
import { formatBytes } from '../src/lib/format.ts';
import type { Row } from './bench.ts';

const headings = ['task', 'who', 'seconds', 'cpu', 'peak', 'rate', 'idport is faster by', 'remark'] as const;

export function formatTable(rows: readonly Row[]): string {
  const cells = [[...headings], ...rows.map(toCells)];
  const widths = headings.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const numeric = new Set([2, 3, 4]);
  return cells
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return numeric.has(column) ? cell.padStart(width) : cell.padEnd(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function formatMarkdown(rows: readonly Row[]): string {
  const cells = [[...headings], headings.map(() => '---'), ...rows.map(toCells)];
  return cells.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function toCells(row: Row): string[] {
  return [
    row.task,
    row.who,
    row.seconds.toFixed(2),
    row.cpuSeconds?.toFixed(2) ?? '',
    row.peakBytes === undefined ? '' : formatBytes(row.peakBytes),
    row.rate ?? '',
    (row.faster ?? []).map(({ than, times }) => `${times.toFixed(2)} x ${than}`).join('; '),
    row.remark ?? '',
  ];
}
