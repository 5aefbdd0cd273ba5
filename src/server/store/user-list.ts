/** Users in order of creation, eight bytes each, for pages of long lists. */
interface Ordered {
  /** Grows with every new row and never changes. */
  readonly order: number;
}

export interface UserList<T extends Ordered> {
  readonly size: number;
  /** Adds a row, or takes the place of the one with the same order. */
  put(row: T): void;
  remove(row: T): void;
  /** Oldest first, or newest first. */
  page(offset: number, limit: number, newestFirst: boolean): T[];
  values(newestFirst?: boolean): Iterable<T>;
}

export function createUserList<T extends Ordered>(): UserList<T> {
  let rows: T[] = [];
  /** Orders of removed rows that still stand in the list. */
  const gone = new Set<number>();

  /** Place of the first row whose order is not below. */
  const find = (order: number): number => {
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (rows[middle]!.order < order) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const compact = (): void => {
    if (gone.size === 0) return;
    rows = rows.filter((row) => !gone.has(row.order));
    gone.clear();
  };

  return {
    get size() {
      return rows.length - gone.size;
    },
    put(row) {
      const last = rows.at(-1);
      if (last === undefined || last.order < row.order) {
        rows.push(row);
        return;
      }
      const place = find(row.order);
      if (rows[place]?.order === row.order) rows[place] = row;
      else rows.splice(place, 0, row);
      gone.delete(row.order);
    },
    remove(row) {
      if (rows[find(row.order)]?.order !== row.order) return;
      gone.add(row.order);
      if (gone.size > 1000 && gone.size * 2 > rows.length) compact();
    },
    page(offset, limit, newestFirst) {
      compact();
      if (!newestFirst) return rows.slice(offset, offset + limit);
      const end = Math.max(0, rows.length - offset);
      return rows.slice(Math.max(0, end - limit), end).reverse();
    },
    *values(newestFirst = false) {
      const all = rows;
      for (let i = 0; i < all.length; i++) {
        const row = all[newestFirst ? all.length - 1 - i : i]!;
        if (!gone.has(row.order)) yield row;
      }
    },
  };
}
