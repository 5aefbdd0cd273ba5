/** Reads a small table with few columns, as spreadsheets write it: commas, semicolons or tabs. */

export interface LineOfCells {
  /** From 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Without empty lines and those that begin with `#`. Empty cells at the end are left out. */
export function* readCells(text: string): Generator<LineOfCells> {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  for (const [at, line] of lines.entries()) {
    if (line.trim() !== '' && !line.startsWith('#')) yield { line: at + 1, cells: splitLine(line) };
  }
}

/** Cells with commas or quotes stand in quotes. */
function splitLine(line: string): string[] {
  const cells = line.match(/"(?:[^"]|"")*"|[^,;\t]+/g) ?? [];
  return cells.map((cell) =>
    cell
      .trim()
      .replace(/^"([^]*)"$/, '$1')
      .replaceAll('""', '"')
      .trim(),
  );
}
