/** Formats the sections of a summary: a title and rows with counts. */
import { formatCount } from '../lib/quantity.ts';
import type { Row, Section } from '../records/sections.ts';
import type { Paint } from './paint.ts';
import { printable } from '../lib/printable.ts';
import { wrap } from './text.ts';

/** Leaves out hashes that are not written, and rows over the limit of a section. */
function shownOnScreen({ rows, shown = rows.length, ...section }: Section): Section {
  const written = rows.filter(({ count, before }) => count !== 0 || before === undefined);
  const more = written.length - shown;
  const rest = { text: `and ${formatCount(more)} more: --report <file> lists all` };
  return { ...section, rows: more > 0 ? [...written.slice(0, shown), rest] : written };
}

/** Leaves out empty sections. All counts are in one column. */
export function formatSections(sections: readonly Section[], width: number, paint: Paint): string[] {
  const shown = sections.map(shownOnScreen).filter(({ rows }) => rows.length > 0);
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
