/** The shapes of an opened database and an opened directory: sources need not know what reads them. */

export type Row = readonly (string | null)[];

export interface Table {
  /** As the database spells it. */
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Columns that are there and may not be read. */
  readonly hidden: readonly string[];
}

/** Rows as lines of text, each with its line feed. */
export interface RowLines {
  readonly rows: number;
  readonly text: Uint8Array;
}

export interface Database {
  /** Host and port, for messages: without a user and a password. */
  readonly host: string;
  readonly kind: 'postgres' | 'mysql';
  /** Of the schema of the connection; MySQL hides those of which nothing may be read. */
  tables(): Promise<readonly Table[]>;
  /** All rows of a small result; values come as texts. Throws `InputError`. */
  query(sql: string): Promise<readonly Row[]>;
  /**
   * The rows of a table, as COPY of PostgreSQL writes them, in batches of which a few are in memory. Where it is left early,
   * nothing else can be read. Throws `InputError`.
   */
  readTable(table: Table): AsyncIterable<RowLines>;
  /** The same of a statement whose rows are single texts without line feeds, which are written as they are. */
  readTexts(sql: string): AsyncIterable<RowLines>;
  /** A text as a literal. */
  quote(text: string): string;
  /** The name of a table or a column. */
  name(name: string): string;
}

export type OpenedDatabase = Database & { close(): Promise<void> };

/** Out of rows of table, column, type, and whether it may be read. */
export function tablesOf(rows: readonly Row[]): Table[] {
  const tables = new Map<string, { name: string; columns: Table['columns'][number][]; hidden: string[] }>();
  for (const [name = '', column = '', type = '', readable] of rows as readonly string[][]) {
    const table = tables.get(name) ?? { name, columns: [], hidden: [] };
    tables.set(name, table);
    if (readable === 'f') table.hidden.push(column);
    else table.columns.push({ name: column, type });
  }
  return [...tables.values()];
}

export interface DirectoryEntry {
  readonly dn: string;
  /** A value each. */
  readonly attributes: readonly (readonly [name: string, value: Buffer])[];
}

export interface Directory {
  /** Host and port, for messages. */
  readonly host: string;
  /** The entries below the base, in pages, with these attributes. Throws `InputError`. */
  read(attributes: readonly string[]): AsyncIterable<readonly DirectoryEntry[]>;
}
