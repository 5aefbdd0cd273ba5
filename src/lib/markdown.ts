/** Formats tables and texts as Markdown, with everything escaped. */
import { visible, formatCount } from './format.ts';

/** Returns the lines of a section with a table, or no lines if there are no rows. Numbers are formatted as counts. */
export function markdownTable(
  heading: string,
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  intro: readonly string[] = [],
) {
  if (rows.length === 0) return [];
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? formatCount(cell) : markdownText(cell))).join(' | ')} |`;
  return [
    `## ${heading}`,
    '',
    ...intro,
    line(head),
    `|${' --- |'.repeat(head.length)}`,
    ...rows.map(line),
    '',
  ];
}

/** Escapes names, ids and details of inputs, so that nothing in them becomes a table border, a link or markup. */
export function markdownText(value: string) {
  return (
    visible(value)
      .replace(/[\\`*_[\]|#~$]/g, '\\$&')
      // Addresses would become links by themselves.
      .replace(/:(?=\/\/)|(?<=\bwww)\./gi, '\\$&')
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
  );
}
