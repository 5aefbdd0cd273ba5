/** Formats titled lists of counts: the form of every summary. */
import { formatCount } from '../lib/quantity.ts';
import { noPaint, type Paint } from './paint.ts';
import { printable } from '../lib/printable.ts';
import { wrap } from './text.ts';

export type Tone = 'good' | 'warning' | 'bad';

export interface Row {
  readonly count?: number;
  readonly text: string;
  /** What to do about it; below the text, further in. */
  readonly remarks?: readonly string[];
  readonly tone?: Tone;
}

export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly tone?: Tone;
}

/** Sections without rows are left out. Counts stand in one column over all sections. */
export function formatSections(
  sections: readonly Section[],
  width: number,
  paint: Paint = noPaint,
): string[] {
  const shown = sections.filter(({ rows }) => rows.length > 0);
  const counts = shown.flatMap(({ rows }) => rows.flatMap(({ count }) => count ?? []));
  const countWidth = Math.max(0, ...counts.map((count) => formatCount(count).length));
  return shown.flatMap(({ title, rows, tone }) => [
    '',
    ...wrap(printable(title), width, '', 2).map((line) =>
      tone === undefined ? paint.title(line) : paint.title(paint[tone](line)),
    ),
    ...rows.flatMap((row) => formatRow(row, countWidth, width, paint)),
  ]);
}

function formatRow(row: Row, countWidth: number, width: number, paint: Paint): string[] {
  const head = row.count === undefined ? '  ' : `  ${formatCount(row.count).padStart(countWidth)}  `;
  const lines = wrap(printable(row.text), width, head);
  const mark = row.tone === undefined ? undefined : paint[row.tone];
  const remarks = (row.remarks ?? []).flatMap((remark) =>
    wrap(printable(remark), width, ' '.repeat(head.length + 2)).map(paint.faint),
  );
  return [...(mark ? lines.map(mark) : lines), ...remarks];
}
