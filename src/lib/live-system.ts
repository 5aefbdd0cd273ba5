/**
 * The shapes of an open database and an open directory, so that sources need not know what reads them, and an input with
 * the bytes of the export that the system would write itself.
 */
import { InputError } from '../errors.ts';
import type { Input } from './input.ts';
import { formatCount } from './format.ts';

export type Row = readonly (string | null)[];

export interface Table {
  /** Name as the database spells it, after its schema if that is not the schema of the connection. */
  readonly name: string;
  /** Name after its schema. */
  readonly full: string;
  /** The same, quoted. */
  readonly quoted: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Columns that exist but may not be read. */
  readonly hidden: readonly string[];
}

/** Rows as lines of text, each with its line feed. */
export interface RowLines {
  readonly rows: number;
  readonly text: Uint8Array;
}

export interface Database {
  /** Host and port for messages, without user and password. */
  readonly host: string;
  readonly kind: 'postgres' | 'mysql';
  /** Tables. MySQL has those of the connection's database, without those of which nothing may be read. */
  tables(): Promise<readonly Table[]>;
  /** Returns all rows of a small result, with values as text. Throws `InputError`. */
  query(sql: string): Promise<readonly Row[]>;
  /**
   * Reads the rows of a table as COPY of PostgreSQL writes them, in batches, of which a few are in memory. If the reading stops
   * early, nothing else can be read. Throws `InputError`.
   */
  readTable(table: Table): AsyncIterable<RowLines>;
  /** Reads a statement in the same way. Its rows are single texts without line feeds, which are written as they are. */
  readTexts(sql: string): AsyncIterable<RowLines>;
  /** Quotes text as an SQL literal. */
  quote(text: string): string;
}

export type OpenedDatabase = Database & { close(): Promise<void> };

/** Builds tables from rows of the three names, column, type, and whether the column may be read. */
export function tablesOf(rows: readonly Row[]): Table[] {
  const tables = new Map<string, Table & { columns: Table['columns'][number][]; hidden: string[] }>();
  for (const [name = '', full = '', quoted = '', column = '', type = '', readable] of rows as string[][]) {
    const table = tables.get(full) ?? { name, full, quoted, columns: [], hidden: [] };
    tables.set(full, table);
    if (readable === 'f') table.hidden.push(column);
    else table.columns.push({ name: column, type });
  }
  return [...tables.values()];
}

export interface DirectoryEntry {
  readonly dn: string;
  /** One pair per value. */
  readonly attributes: readonly (readonly [name: string, value: Buffer])[];
}

export interface Directory {
  /** Host and port, for messages. */
  readonly host: string;
  /** Reads the entries below the base in pages, with these attributes. Throws `InputError`. */
  read(attributes: readonly string[]): AsyncIterable<readonly DirectoryEntry[]>;
}

/**
 * Returns an input. `read` yields the text from its start, and must always yield the same. The name appears in messages
 * and begins file names.
 */
export function liveInput(name: string, read: () => AsyncIterable<string | Uint8Array>): Input {
  let taken = 0;
  return {
    name: name.replaceAll(/[\s/\\:]/g, '_'),
    size: undefined,
    repeatable: true,
    isLive: true,
    taken: () => taken,
    async *blocks() {
      taken = 0;
      for await (const part of read()) {
        const block = typeof part === 'string' ? Buffer.from(part) : part;
        taken += block.length;
        yield block;
      }
    },
  };
}

/**
 * Yields as many rows as were counted in the same snapshot. Throws `InputError` if there are more, which might never
 * end, or fewer, which would be lost.
 */
export async function* countedRows(db: Database, what: string, count: string, rows: AsyncIterable<RowLines>) {
  const expected = Number((await db.query(count))[0]?.[0]);
  let read = 0;
  for await (const lines of rows) {
    read += lines.rows;
    if (read > expected) break;
    yield lines;
  }
  if (read === expected) return;
  const more = read > expected ? 'more' : formatCount(read);
  throw new InputError(
    'input:live',
    db.host,
    `${formatCount(expected)} ${what} were counted, and ${more} arrived`,
    'Run it again; if it happens again, check the indexes of the database.',
  );
}
