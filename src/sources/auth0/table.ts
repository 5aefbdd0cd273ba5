/** Reads a CSV or tab-separated file as users with Auth0's JSON field names, in batches. */
import { Readable } from 'node:stream';
import type { CsvError } from 'csv-parse';
import { InputError } from '../../errors.ts';
import type { RawElements } from '../source.ts';
import { placeOf, userOfRow } from './columns.ts';

const rowsInBatch = 200;
/** A quote that is never closed must not swallow the file into memory. */
const maxRowBytes = 16 * 1024 * 1024;

interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** A row with more or fewer cells than there are titles is broken, and costs only itself. */
export async function* scanTable(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
  delimiter: string,
): AsyncGenerator<RawElements> {
  let titles: readonly string[] | undefined;
  let places: ReturnType<typeof placeOf>[] = [];
  let values: unknown[] = [];
  for await (const { record, info } of rowsOf(input, blocks, delimiter)) {
    if (titles === undefined) {
      titles = record;
      places = record.map((title) => placeOf(title.trim()));
      continue;
    }
    if (record.length === titles.length) {
      values.push(userOfRow(places, record));
      if (values.length < rowsInBatch) continue;
    }
    if (values.length > 0) yield { form: 'values', values };
    values = [];
    if (record.length !== titles.length) {
      const problem = `line ${info.lines}: ${record.length} cells where there are ${titles.length} titles`;
      yield { form: 'broken', problem };
    }
  }
  if (values.length > 0) yield { form: 'values', values };
}

async function* rowsOf(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
  delimiter: string,
): AsyncGenerator<Row> {
  // Loaded here, because hardly any run needs it.
  const csv = await import('csv-parse');
  const parser = Readable.from(copies(blocks)).pipe(
    csv.parse({
      delimiter,
      info: true,
      max_record_size: maxRowBytes,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }),
  );
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

/** The parser keeps blocks for a while; ours, of which `slice` makes no copy, are valid until the next one is asked for. */
async function* copies(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const block of blocks) yield new Uint8Array(block);
}
