/** What the reader of a file format gets and returns, and whether API pages contain all the users that they announce. */
import type { Input } from '../../../lib/input.ts';
import { groupBy } from '../../../lib/group-by.ts';
import { memoized } from '../../../lib/strings.ts';
import { warning, type Notify } from '../../../notice.ts';
import type { RawElements } from '../../source.ts';
import type { Mapping } from '../mapping/schema.ts';

export type FormName = 'csv' | 'json' | 'sql' | 'ldif' | 'yaml';

export interface OpenRows {
  /** All columns of the table. Absent if the file does not name them before its rows. */
  readonly columns?: readonly string[];
  /** The columns are c1, c2, ..., because the file has no header row. */
  readonly isNumbered?: true | undefined;
  readonly batches: AsyncIterable<RawElements>;
  /** Table of a dump whose rows were read so far. */
  readonly table?: () => string | undefined;
  /** Other tables of a dump that have rows. Complete at the end of the dump. */
  readonly unread?: ReadonlySet<string>;
  /** Counts of the API pages that were read so far. */
  readonly pages?: () => Pages;
}

export interface FormRequest {
  readonly input: Input;
  readonly head: Uint8Array;
  /** All blocks of the file, from its start. */
  readonly blocks: AsyncIterable<Uint8Array>;
  readonly source: NonNullable<Mapping['source']>;
  /** Columns that the mapping names, to find the header row and the table of users. */
  readonly named: ReadonlySet<string>;
  /** Table of a dump. If undefined, the only table, or the one with the named columns. */
  readonly table: string | undefined;
  /** Joined tables of a dump, as `from` names them. They are read separately. */
  readonly joined?: readonly string[];
  /** The dump may lack the table. */
  readonly isOptional?: true;
  /** Returns the column that a title of a table names. */
  readonly nameOf?: (title: string) => string;
  /** If all cells of these columns begin with an apostrophe, one is removed from each cell of the table. */
  readonly marked?: readonly string[];
  /** Columns in which titles are places: `identities[0].connection`. */
  readonly nested?: readonly string[];
  /** Numbers the columns of a file without a header: c1, c2, .... Otherwise such a file is refused. */
  readonly numbersColumns?: true;
  readonly notify: Notify;
  /** A batch of JSON ends with the first record that reaches this size. */
  readonly batchBytes?: number | undefined;
}

const lower = (name: string) => name.toLowerCase();
/** A name without case and without underscores inside: `PasswordHash` and `password_hash` are the same. */
const fold = (name: string) => lower(name).replaceAll(/(?!^)_/g, '');

/** Returns a function that maps a column to the first named one that differs in case only, else in underscores too. */
export function createCaseMatch(named: ReadonlySet<string>) {
  const known = new Map(
    [fold, lower].flatMap((form) => [...named].toReversed().map((name) => [form(name), name])),
  );
  return (column: string) => known.get(lower(column)) ?? known.get(fold(column)) ?? column;
}

/**
 * Returns a function that gives columns the case in which the mapping names them. H2, Oracle and DB2 write all names in
 * capitals, and Entity Framework may write them with underscores. Of columns that are alike, none is taken for another.
 */
export function createColumnMatch(named: ReadonlySet<string>) {
  const match = createCaseMatch(named);
  // Statements of a dump name the same columns again and again.
  const matchAll = memoized((names) => {
    const columns = JSON.parse(names) as readonly string[];
    const [cases, folds] = [groupBy(columns, lower), groupBy(columns, fold)];
    return columns.map((column) => {
      const name = match(column);
      const alike = lower(name) === lower(column) ? cases.get(lower(column)) : folds.get(fold(column));
      return named.has(column) || alike![1] !== undefined ? column : name;
    });
  });
  return (columns: readonly string[]) => matchAll(JSON.stringify(columns));
}

/** What the pages of a file say next to their lists. */
export interface Pages {
  readonly lists: number;
  /** Number of pages that name a next page. */
  readonly following: number;
  /** Largest total number of users that a page names. */
  readonly total: number;
}

export function createPageCount() {
  let [read, lists, following, total] = [0, 0, 0, 0];
  return {
    add(elements: RawElements) {
      const { skip = 0, more = [] } = elements;
      read += more.length - skip;
      if (elements.form === 'values') read += elements.values.length;
      else read += 'count' in elements ? elements.count : 1;
    },
    /** Called at the end of a file. */
    close(pages: Pages) {
      lists += pages.lists;
      following += pages.following;
      total = Math.max(total, pages.total);
    },
    /** Warns if something says that there are more users. The files may be pages in any order. */
    finish(inputs: readonly { readonly name: string }[], advice: string, notify: Notify) {
      if (read >= total && (lists === 0 || following < lists)) return;
      const names = inputs.map(({ name }) => name).join(', ');
      const problem =
        read < total
          ? `the pages name ${total} users in all and hold ${read}`
          : 'the last page names a next one, which is not here';
      notify(warning('input:missing-pages', `${names}: ${problem}; ${advice}`));
    },
  };
}
