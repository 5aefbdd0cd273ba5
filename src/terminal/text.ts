/** Breaks text into lines. */

/** Narrower lines would break words, and wider ones are hard to read. */
const narrowest = 30;
const widest = 100;

/** Returns 80 if the number is unknown: terminals without a window (`docker exec -t`, expect, a serial line) report 0. */
export const columnsOf = (columns: number | undefined) => columns || 80;

/** Returns the width of lines to write. Lines of a file or pipe are not broken, so that they can be searched. */
export const lineWidth = (columns: number | undefined) =>
  columns === undefined ? Infinity : Math.min(widest, Math.max(narrowest, columnsOf(columns)));

/**
 * Breaks a text at blanks into lines of `width`. The first line begins with `head`, the others with `indent` blanks. Long
 * words stay whole, so that paths can be copied.
 */
export function wrap(text: string, width: number, head = '', indent = head.length) {
  const lines: string[] = [];
  let line = head;
  let empty = true;
  for (const word of text.split(' ')) {
    if (!empty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = ' '.repeat(indent) + word;
    } else {
      line += empty ? word : ` ${word}`;
    }
    empty = false;
  }
  return [...lines, line];
}

/** Like `wrap`, but paints the head. */
export function wrapMarked(head: string, mark: (text: string) => string, text: string, width: number) {
  const [first = '', ...rest] = wrap(text, width, head, 2);
  return [mark(head) + first.slice(head.length), ...rest];
}

/** Pads each column to its widest cell. The last one is not padded. */
export function alignColumns(rows: readonly (readonly string[])[], indent = '') {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]!.length))) ?? [];
  return rows.map(
    (row) =>
      indent +
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
  );
}
