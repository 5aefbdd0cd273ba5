/** Reads a small table with few columns, as spreadsheets write it: commas, semicolons or tabs. */
import { UsageError } from '../errors.ts';
import { readField } from '../lib/csv.ts';

export interface LineOfCells {
  /** From 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Skips empty lines and comments (`#`); drops empty cells at the end. */
export function* readCells(text: string): Generator<LineOfCells> {
  const lines = text.split(/\r?\n/);
  for (const [at, line] of lines.entries()) {
    if (line.trim() !== '' && !line.startsWith('#')) yield { line: at + 1, cells: splitLine(line) };
  }
}

/**
 * Two columns: the key in the source, and the id at the target; a header row and further columns are ignored. `what` is the
 * kind of object for messages, `example` a key. Throws `UsageError`.
 */
export function readIds(name: string, text: string, what: string, example: string): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const { line, cells } of readCells(text)) {
    const [key = '', id = ''] = cells.map(readField);
    if (line === 1 && !/\d/.test(id)) continue;
    if (cells.length < 2 || key === '' || id === '') {
      throw new UsageError(
        `${name}, line ${line}: expected a key and the id of an ${what}`,
        `For example: ${example},165617389845094785`,
      );
    }
    if (Object.hasOwn(ids, key) && ids[key] !== id) {
      throw new UsageError(`${name}, line ${line}: ${JSON.stringify(key)} has two ids`);
    }
    Object.defineProperty(ids, key, { value: id, enumerable: true, writable: true, configurable: true });
  }
  if (Object.keys(ids).length === 0) throw new UsageError(`${name} names no ${what}`);
  return ids;
}

/** Cells with commas or quotes are quoted. */
function splitLine(line: string): string[] {
  const cells = Array.from(`,${line}`.matchAll(/[,;\t] *("(?:[^"]|"")*"|[^,;\t]*)/g), ([, cell = '']) =>
    cell
      .trim()
      .replace(/^"([^]*)"$/, '$1')
      .replaceAll('""', '"')
      .trim(),
  );
  return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
}
