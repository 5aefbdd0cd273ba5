/** A table of rows by id, with indexes; a listener gets every change. */

export interface Row {
  readonly id: string;
}

/** Rows are values: a change is a `put` of a new row with the same id. */
export interface Table<R extends Row> {
  readonly name: string;
  readonly size: number;
  get(id: string): R | undefined;
  has(id: string): boolean;
  put(row: R): R;
  /** Gives the row that was there. */
  delete(id: string): R | undefined;
  /** All rows that `by` gives. */
  deleteBy(index: string, value: string): void;
  values(): Iterable<R>;
  /** Rows whose index has that value, oldest first; throws for an index that the table does not have. */
  by(index: string, value: string): readonly R[];
  clear(): void;
}

/** An index gives the value a row is found by, or several, or none. */
export type Indexes<R extends Row> = Readonly<Record<string, (row: R) => string | readonly string[]>>;

export function createTable<R extends Row>(
  name: string,
  tell: (change: Change) => void,
  indexes: Indexes<R> = {},
): Table<R> {
  const rows = new Map<string, R>();
  const groups = new Map(Object.keys(indexes).map((index) => [index, new Map<string, Map<string, R>>()]));

  const valuesOf = (index: string, row: R): readonly string[] => {
    const value = indexes[index]!(row);
    return typeof value === 'string' ? [value] : value;
  };
  const file = (row: R): void => {
    for (const [index, group] of groups) {
      for (const value of valuesOf(index, row)) {
        const members = group.get(value) ?? new Map<string, R>();
        members.set(row.id, row);
        group.set(value, members);
      }
    }
  };
  /** But for the values that its next version has as well: there it keeps its place. */
  const unfile = (row: R, next?: R): void => {
    for (const [index, group] of groups) {
      const kept = next === undefined ? [] : valuesOf(index, next);
      for (const value of valuesOf(index, row)) {
        if (kept.includes(value)) continue;
        const members = group.get(value);
        members?.delete(row.id);
        if (members?.size === 0) group.delete(value);
      }
    }
  };

  const table: Table<R> = {
    name,
    get size() {
      return rows.size;
    },
    get: (id) => rows.get(id),
    has: (id) => rows.has(id),
    put(row) {
      const before = rows.get(row.id);
      if (before !== undefined) unfile(before, row);
      rows.set(row.id, row);
      file(row);
      tell({ table: name, id: row.id, row });
      return row;
    },
    delete(id) {
      const before = rows.get(id);
      if (before === undefined) return undefined;
      unfile(before);
      rows.delete(id);
      tell({ table: name, id, row: undefined });
      return before;
    },
    deleteBy(index, value) {
      for (const { id } of table.by(index, value)) table.delete(id);
    },
    values: () => rows.values(),
    by(index, value) {
      const group = groups.get(index);
      if (group === undefined) throw new TypeError(`table ${name} has no index ${index}`);
      return [...(group.get(value)?.values() ?? [])];
    },
    clear() {
      rows.clear();
      for (const group of groups.values()) group.clear();
    },
  };
  return table;
}

/** One change of the state, as a value that survives JSON. */
export interface Change {
  readonly table: string;
  readonly id: string;
  /** The whole row as it is now; undefined when it is gone. */
  readonly row: object | undefined;
}
