/** Reads a CSV or tab-separated file as users with Auth0's JSON field names, in batches. */
import { InputError } from '../../errors.ts';
import type { Input } from '../../lib/input.ts';
import { BrokenRecord } from '../broken-record.ts';
import { parseBatch, releaseElements } from '../elements.ts';
import type { RawElements } from '../source.ts';
import { openCsv } from '../table/forms/csv.ts';
import { canonicalField, namesField, userOfRow } from './columns.ts';

export interface Table {
  readonly input: Input;
  /** The first bytes, with the titles. */
  readonly head: Uint8Array;
  readonly delimiter: string;
  readonly titles: readonly string[];
}

type Row = Readonly<Record<string, string>>;

/** `blocks` are all from the start. A row with more or fewer cells than there are titles is broken, and costs only itself. */
export async function* scanTable(
  table: Table,
  blocks: AsyncGenerator<Uint8Array>,
): AsyncGenerator<RawElements> {
  const { input, head } = table;
  // Of a pipe the first row with an id or an address decides, and a later row that differs ends the reading.
  if (!input.repeatable) return yield* scanUsers(table, blocks, undefined);
  // Hardly any file has them, and only such a file is read twice.
  if (!beginsWithApostrophe.test(Buffer.from(head).toString('latin1')))
    return yield* scanUsers(table, blocks, false);
  await blocks.return(undefined);
  yield* scanUsers(table, input.blocks(), await hasApostrophes(table));
}

/** A cell that begins with one. */
const beginsWithApostrophe = /[\n,;\t]"?'/;

/** `strips`: an apostrophe stands before each text, as exports of Auth0 write it: one is taken from each cell. */
async function* scanUsers(
  table: Table,
  blocks: AsyncIterable<Uint8Array>,
  strips: boolean | undefined,
): AsyncGenerator<RawElements> {
  const places = new Map();
  let hasMarks = strips;
  let count = 0;
  for await (const rows of readRows(table, blocks)) {
    let values: unknown[] = [];
    for (const row of rows) {
      count++;
      if (row instanceof BrokenRecord) {
        if (values.length > 0) yield { form: 'values', values };
        values = [];
        yield { form: 'broken', ...row.broken };
        continue;
      }
      const marked = strips === undefined ? areMarked(row) : undefined;
      if (hasMarks === true && marked === false) throw unmarked(table.input.name, count);
      hasMarks ??= marked;
      values.push(userOfRow(places, row, hasMarks === true ? withoutApostrophe : (cell) => cell));
    }
    if (values.length > 0) yield { form: 'values', values };
  }
}

/** Whether all ids and addresses that are not empty begin with an apostrophe. Reads to the first that does not. */
async function hasApostrophes(table: Table): Promise<boolean> {
  let found = false;
  for await (const rows of readRows(table, table.input.blocks())) {
    for (const row of rows) {
      const marked = row instanceof BrokenRecord ? undefined : areMarked(row);
      if (marked === false) return false;
      found ||= marked === true;
    }
  }
  return found;
}

/** Undefined for a row without an id and an address. */
function areMarked(row: Row): boolean | undefined {
  const cells = Object.entries(row).filter(
    ([title, cell]) => cell !== '' && marking.has(canonicalField(title)),
  );
  return cells.length === 0 ? undefined : cells.every(([, cell]) => cell.startsWith("'"));
}

const marking = new Set(['user_id', 'email']);
const withoutApostrophe = (cell: string): string => (cell.startsWith("'") ? cell.slice(1) : cell);

/** Only a pipe gets here: a file has been read to its end before. */
function unmarked(input: string, row: number): InputError {
  const problem = `row ${row}: the id or the email has no apostrophe before it, unlike those of earlier rows`;
  return new InputError('input:not-repeatable', input, problem, {
    hint: 'Give a file instead of a pipe, so that it can be read twice.',
  });
}

async function* readRows(
  { input, head, delimiter, titles }: Table,
  blocks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Iterable<Row | BrokenRecord>> {
  const source = { delimiter, null: [] };
  const named = new Set(titles.filter(namesField));
  const { batches } = openCsv({ input, head, blocks, source, named, table: undefined, notify: () => {} });
  for await (const elements of batches) {
    yield parseBatch({ input: input.name, elements, context: undefined }) as Iterable<Row | BrokenRecord>;
    releaseElements(elements);
  }
}
