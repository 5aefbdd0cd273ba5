/** Formats tables and texts as Markdown, with everything escaped. */
import { formatCount } from './quantity.ts';

/** The lines of a section with a table, or no lines without rows. Numbers are formatted as counts. */
export function markdownTable(
  heading: string,
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  intro: readonly string[] = [],
): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly (string | number)[]): string =>
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
export function markdownText(value: string): string {
  return value
    .replace(
      /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
      (character) => `U+${character.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`,
    )
    .replace(/[\\`*_[\]|#]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;');
}
