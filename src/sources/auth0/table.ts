/** Reads a CSV or tab-separated file as users with Auth0's JSON field names, in batches. */
import { pipeline, Readable } from 'node:stream';
import type { CsvError } from 'csv-parse';
import { InputError } from '../../errors.ts';
import type { RawElements } from '../source.ts';
import { openQuote, swallowsRows } from '../rows.ts';
import { textsOf } from '../utf8.ts';
import { placeOf, userOfRow } from './columns.ts';

const rowsInBatch = 200;
/** A quote that is never closed must not swallow the file into memory. */
const maxRowBytes = 16 * 1024 * 1024;

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

export interface TableOptions {
  readonly delimiter: string;
  /**
   * Whether an apostrophe stands before each text, as exports of Auth0 write it: one is taken from each cell. Of a pipe
   * the first row with an id or an address decides, and a later row that differs ends the reading.
   */
  readonly apostrophes: boolean | 'first row';
}

/** A row with more or fewer cells than there are titles is broken, and costs only itself. */
export async function* scanTable(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
  { delimiter, apostrophes }: TableOptions,
): AsyncGenerator<RawElements> {
  let titles: readonly string[] | undefined;
  let places: ReturnType<typeof placeOf>[] = [];
  let values: unknown[] = [];
  let strips = apostrophes === 'first row' ? undefined : apostrophes;
  for await (const { record, info } of rowsOf(input, blocks, delimiter)) {
    if (titles === undefined) {
      titles = record;
      places = record.map((title) => placeOf(title.trim()));
      continue;
    }
    const { length } = titles;
    const problem = `${record.length} cells where there are ${length} titles`;
    if (record.some((cell) => swallowsRows(cell, delimiter, length))) throw openQuote(input, info.lines);
    if (record.length === length) {
      const marked = areMarked(places, record);
      if (strips === true && marked === false) throw unmarked(input, info.lines);
      strips ??= marked;
      values.push(userOfRow(places, strips === true ? record.map(withoutApostrophe) : record));
      if (values.length < rowsInBatch) continue;
    }
    if (values.length > 0) yield { form: 'values', values };
    values = [];
    if (record.length === length) continue;
    if (record.some((cell) => cell.includes('\n'))) throw openQuote(input, info.lines, problem);
    yield { form: 'broken', problem: `line ${info.lines}: ${problem}` };
  }
  if (values.length > 0) yield { form: 'values', values };
}

/** Whether all ids and addresses that are not empty begin with an apostrophe. Reads to the first that does not. */
export async function hasApostrophes(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
  delimiter: string,
): Promise<boolean> {
  let places: ReturnType<typeof placeOf>[] | undefined;
  let found = false;
  for await (const { record } of rowsOf(input, blocks, delimiter)) {
    if (places === undefined) {
      places = record.map((title) => placeOf(title.trim()));
      continue;
    }
    const marked = areMarked(places, record);
    if (marked === false) return false;
    found ||= marked === true;
  }
  return found;
}

/** Undefined for a row without an id and an address. */
function areMarked(
  places: readonly ReturnType<typeof placeOf>[],
  record: readonly string[],
): boolean | undefined {
  const cells = record.filter((cell, at) => cell !== '' && marking.has(String(places[at])));
  return cells.length === 0 ? undefined : cells.every((cell) => cell.startsWith("'"));
}

const marking = new Set(['user_id', 'email']);
const withoutApostrophe = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell);

/** Only a pipe gets here: a file has been read to its end before. */
function unmarked(input: string, line: number): InputError {
  const problem = `line ${line}: the id or the email has no apostrophe before it, unlike those of earlier rows`;
  return new InputError('input:not-repeatable', input, problem, {
    hint: 'Give a file instead of a pipe, so that it can be read twice.',
  });
}

async function* rowsOf(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
  delimiter: string,
): AsyncGenerator<Row> {
  // Loaded here, because hardly any run needs it.
  const csv = await import('csv-parse');
  const parser = csv.parse({
    delimiter,
    info: true,
    max_record_size: maxRowBytes,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  });
  // An error of the text becomes one of the parser, and is thrown by the loop.
  pipeline(Readable.from(textsOf(input, blocks)), parser, () => {});
  try {
    for await (const row of parser) yield row as Row;
  } catch (error) {
    if (!(error instanceof csv.CsvError)) throw error;
    throw new InputError('input:syntax', input, describe(error), {
      hint: 'Fix the row, or export as JSON.',
    });
  }
}

function describe(error: CsvError): string {
  const line = typeof error['lines'] === 'number' ? ` near line ${error['lines']}` : '';
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return `a quote is never closed${line}`;
  if (error.code === 'CSV_MAX_RECORD_SIZE') return `a row is longer than ${maxRowBytes} bytes${line}`;
  return `a row cannot be read${line}`;
}
