/** What the reader of each file format returns: batches of rows, and the columns if they are known before the first row. */
import type { Input } from '../../../lib/input.ts';
import { count } from '../../../records/tally.ts';
import type { Pages } from '../../pages.ts';
import type { Notice, RawElements } from '../../source.ts';
import type { Mapping } from '../mapping/schema.ts';

export type FormName = 'csv' | 'json' | 'sql' | 'ldif' | 'yaml';

export interface OpenRows {
  /** All columns of the table, where the file names them before its rows. */
  readonly columns?: readonly string[];
  /** They are c1, c2, ...: the file has no row of titles. */
  readonly isNumbered?: true;
  readonly batches: AsyncIterable<RawElements>;
  /** Of a dump, the table whose rows were read so far. */
  readonly table?: () => string | undefined;
  /** Of a dump, other tables that have rows; complete at its end. */
  readonly unread?: ReadonlySet<string>;
  /** Of the answers of an interface that were read so far. */
  readonly pages?: () => Pages;
}

export interface FormRequest {
  readonly input: Input;
  readonly head: Uint8Array;
  /** All blocks from the start. */
  readonly blocks: AsyncIterable<Uint8Array>;
  readonly source: NonNullable<Mapping['source']>;
  /** Columns that the mapping names, to find the row of titles. */
  readonly named: ReadonlySet<string>;
  /** Table of a dump; undefined for the only one, or the one with the named columns. */
  readonly table: string | undefined;
  /** Tables of a dump that are read by themselves, as `from` names them. */
  readonly joined?: readonly string[];
  /** A dump may lack this table. */
  readonly isOptional?: true;
  /** Columns of a file without titles are c1, c2, ...; else it is refused. */
  readonly numbersColumns?: true;
  readonly notify: (notice: Notice) => void;
  /** A batch of JSON ends with the first record that reaches this size. */
  readonly batchBytes?: number | undefined;
}

/** A column counts as the named one that differs in case only, the first of several. */
export function createCaseMatch(named: ReadonlySet<string>): (column: string) => string {
  const known = new Map([...named].toReversed().map((name) => [name.toLowerCase(), name]));
  return (column) => known.get(column.toLowerCase()) ?? column;
}

/** H2, Oracle and DB2 write all names in capitals. */
export function matchColumnCase(named: ReadonlySet<string>, columns: readonly string[]): readonly string[] {
  const match = createCaseMatch(named);
  const counts = new Map<string, number>();
  for (const column of columns) count(counts, column.toLowerCase());
  return columns.map((column) =>
    named.has(column) || counts.get(column.toLowerCase()) !== 1 ? column : match(column),
  );
}
