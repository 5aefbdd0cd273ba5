/** A table of rows by id, with indexes. A listener receives every change. */

export interface Row {
  readonly id: string;
}

/** Rows are values: a change is a `put` of a new row with the same ID. */
export type Table<R extends Row> = ReturnType<typeof createTable<R>>;

/** By name, functions that return the values under which a row is found: one, several or none. */
export type Indexes<R extends Row> = Readonly<Record<string, (row: R) => string | readonly string[]>>;

/**
 * Rows in the order in which they were added. Pages of long lists read the array, which is built once between two
 * changes.
 */
class Group<R extends Row> extends Map<string, R> {
  #list: readonly R[] | undefined;

  put(row: R) {
    this.set(row.id, row);
    this.#list = undefined;
  }

  remove(id: string) {
    this.delete(id);
    this.#list = undefined;
  }

  override clear() {
    super.clear();
    this.#list = undefined;
  }

  list() {
    return (this.#list ??= [...this.values()]);
  }
}

function valuesOf<R extends Row>(index: Indexes<R>[string], row: R) {
  const value = index(row);
  return typeof value === 'string' ? [value] : value;
}

export function createTable<R extends Row>(name: string, tell: Listener, indexes: Indexes<R>) {
  const rows = new Group<R>();
  /** Rows by index and value. Most values have one row, such as a user name, so only a second row makes a group. */
  const filed = new Map(Object.keys(indexes).map((index) => [index, new Map<string, R | Group<R>>()]));

  const file = (row: R) => {
    for (const [index, byValue] of filed) {
      for (const value of valuesOf(indexes[index]!, row)) {
        const found = byValue.get(value);
        if (found instanceof Group) found.put(row);
        else if (found === undefined || found.id === row.id) byValue.set(value, row);
        else {
          const group = new Group<R>();
          group.put(found);
          group.put(row);
          byValue.set(value, group);
        }
      }
    }
  };
  /** Removes a row from the indexes, except for values that `next` has too, where it keeps its position. */
  const unfile = (row: R, next?: R) => {
    for (const [index, byValue] of filed) {
      const kept = next === undefined ? [] : valuesOf(indexes[index]!, next);
      for (const value of valuesOf(indexes[index]!, row)) {
        if (kept.includes(value)) continue;
        const found = byValue.get(value);
        if (found instanceof Group && found.size > 1) found.remove(row.id);
        else byValue.delete(value);
      }
    }
  };

  const table = {
    get size() {
      return rows.size;
    },
    get: (id: string) => rows.get(id),
    has: (id: string) => rows.has(id),
    put(row: R) {
      const before = rows.get(row.id);
      if (before !== undefined) unfile(before, row);
      rows.put(row);
      file(row);
      tell({ table: name, id: row.id, row, before });
      return row;
    },
    /** Deletes a row and returns it. */
    delete(id: string) {
      const before = rows.get(id);
      if (before === undefined) return undefined;
      unfile(before);
      rows.remove(id);
      tell({ table: name, id, row: undefined, before });
      return before;
    },
    /** Deletes all rows that `by` returns. */
    deleteBy(index: string, value: string) {
      for (const { id } of table.by(index, value)) table.delete(id);
    },
    values: () => rows.values(),
    /** Returns all rows, oldest first. The array is the same until the next change. */
    list: () => rows.list(),
    /** Returns the rows whose index has that value, oldest first. Throws if the table has no such index. */
    by(index: string, value: string) {
      const byValue = filed.get(index);
      if (byValue === undefined) throw new TypeError(`table ${name} has no index ${index}`);
      const found = byValue.get(value);
      if (found instanceof Group) return found.list();
      return found === undefined ? [] : [found];
    },
    clear() {
      rows.clear();
      for (const byValue of filed.values()) byValue.clear();
    },
  };
  return table;
}

export type Listener = (change: Change) => void;

export interface Change {
  readonly table: string;
  readonly id: string;
  /** The whole row after the change. Undefined if it was deleted. */
  readonly row: object | undefined;
  /** The row before the change. Undefined if it is new. */
  readonly before?: object | undefined;
}
