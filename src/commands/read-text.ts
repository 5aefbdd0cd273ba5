/**
 * Reads small files of the user: texts, and tables with few columns as spreadsheets write them (commas, semicolons or
 * tabs).
 */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandContext } from './context.ts';
import { inputProblem } from '../storage/file-problem.ts';
import { InputError, UsageError } from '../errors.ts';
import { readField } from '../lib/csv.ts';
import { readAll } from '../lib/input.ts';

/**
 * Returns the text of a small file, without a byte order mark. Throws `InputError`, also if it is not UTF-8, because a
 * replaced character would change a key or a password.
 */
export function readText(path: string, cwd: string) {
  const bytes = readBytes(path, cwd);
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  throw new InputError('input:invalid-utf8', path, 'it is not UTF-8', 'Save the file as UTF-8.');
}

export function readBytes(path: string, cwd: string) {
  try {
    return readFileSync(resolve(cwd, path));
  } catch (error) {
    throw inputProblem(path, error, resolve(cwd, path));
  }
}

/** Reads a file, or standard input for `-`. */
export async function readFileOrStdin(file: string, { cwd, stdin }: CommandContext) {
  return file === '-' ? (await readAll(stdin))! : readBytes(file, cwd);
}

/**
 * Yields the cells of each row. Skips empty lines, comments (`#`) and a header, and drops empty cells at the end of a
 * row. Lines are numbered from 1.
 */
export function* readCells(text: string) {
  let isFirst = true;
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const cells = splitLine(line);
    const isHeader = isFirst && cells.length > 1 && cells.slice(0, 2).every((cell) => title.test(cell));
    isFirst = false;
    if (!isHeader) yield { line: at + 1, cells };
  }
}

/**
 * Cells of a header. A first row with other words counts as data: no user has the key of an unknown header, but a skipped
 * entry would be lost.
 */
const title =
  /^(?:(?:alias|client|config|id|idp|key|name|org|organization|provider|realm|role|secret|source|target)[ _-]?)+$/i;

interface Pairs {
  /** What a row must contain, for messages. */
  readonly expected: string;
  readonly example: string;
  /** Kind of object that the first column names, for messages. */
  readonly what: string;
  /** Plural noun for the values of the second column, for messages. */
  readonly values: string;
  readonly fits: (cells: readonly string[]) => boolean;
}

/**
 * Returns the second cell of each row by the first. Throws `UsageError` for an invalid row, a key with two values, or no
 * rows at all.
 */
export function readPairs(name: string, text: string, { expected, example, what, values, fits }: Pairs) {
  const pairs = new Map<string, string>();
  for (const { line, cells } of readCells(text)) {
    const [key = '', value = ''] = cells;
    const refuse = (problem: string, hint?: string) =>
      new UsageError(`${name}, line ${line}: ${problem}`, hint);
    if (key === '' || !fits(cells)) throw refuse(`expected ${expected}`, `For example: ${example}`);
    if ((pairs.get(key) ?? value) !== value) throw refuse(`${JSON.stringify(key)} has two ${values}`);
    pairs.set(key, value);
  }
  if (pairs.size === 0) throw new UsageError(`${name} names no ${what}`);
  return pairs;
}

/**
 * Reads two columns: the key in the source, and the id at the target. Further columns are ignored. `what` is the kind of
 * object for messages, `example` a key. Throws `UsageError`.
 */
export function readIds(name: string, text: string, what: string, example: string) {
  const pairs = readPairs(name, text, {
    expected: `a key and the id of an ${what}`,
    example: `${example},165617389845094785`,
    what,
    values: 'ids',
    fits: ([, id = '']) => id !== '',
  });
  return Object.fromEntries(Array.from(pairs, ([key, id]) => [readField(key), readField(id)]));
}

/** Splits a line into cells. Cells that contain commas or quotes are quoted. */
function splitLine(line: string) {
  const cells = Array.from(`,${line}`.matchAll(/[,;\t] *("(?:[^"]|"")*"|[^,;\t]*)/g), ([, cell = '']) =>
    cell
      .trim()
      .replace(/^"([^]*)"$/, '$1')
      .replaceAll('""', '"')
      .trim(),
  );
  return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
}
