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

interface PairRules {
  /** What a row of keys belongs to, and what its second cell is, for messages. */
  readonly of: string;
  readonly value: 'id' | 'key';
  readonly expected: string;
  readonly hint: string;
  /** Whether the first line is a row of titles. */
  readonly isTitle: (key: string, value: string) => boolean;
  readonly isRow: (cells: readonly string[]) => boolean;
}

/** Two columns: a key of the source, and what it is at the target. Throws `UsageError`. */
export function readPairs(name: string, text: string, rules: PairRules): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const { line, cells: found } of readCells(text)) {
    const cells = found.map(readField);
    const [key = '', value = ''] = cells;
    if (line === 1 && rules.isTitle(key, value)) continue;
    const place = `${name}, line ${line}`;
    if (key === '' || !rules.isRow(cells))
      throw new UsageError(`${place}: expected ${rules.expected}`, { hint: rules.hint });
    if (pairs.has(key) && pairs.get(key) !== value)
      throw new UsageError(`${place}: ${JSON.stringify(key)} has two ${rules.value}s`);
    pairs.set(key, value);
  }
  if (pairs.size === 0) throw new UsageError(`${name} names no ${rules.of}`);
  return pairs;
}

/** Ids at the target by key; further columns are ignored. `example` is a key. Throws `UsageError`. */
export function readIds(name: string, text: string, what: string, example: string): Record<string, string> {
  const ids = readPairs(name, text, {
    of: what,
    value: 'id',
    expected: `a key and the id of an ${what}`,
    hint: `For example: ${example},165617389845094785`,
    isTitle: (_, id) => !/\d/.test(id),
    isRow: ([, id = '']) => id !== '',
  });
  return Object.fromEntries(ids);
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
