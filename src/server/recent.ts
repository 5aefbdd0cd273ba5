/** Bounds what requests leave behind: the last entries of a log, the newest rows of a table. */
import type { Row, Table } from './store/table.ts';

export interface Recent<T> {
  add(entry: T): void;
  list(): readonly T[];
  /** How many entries there were in all. */
  readonly total: number;
  clear(): void;
}

/** Characters that are kept of a body, a path, a line of the log. */
const shownText = 4000;

/** The beginning of a text, as a copy: a slice would keep the whole text in memory. */
export const excerpt = (text: string): string => Buffer.from(text.slice(0, shownText)).toString();

/** Makes room in a table that grows with every request: at `most` rows, the oldest tenth is deleted. */
export function makeRoom(table: Table<Row>, most: number): void {
  if (table.size < most) return;
  let rest = Math.ceil(most / 10);
  for (const { id } of table.values()) {
    if (rest-- === 0) return;
    table.delete(id);
  }
}

/** Keeps the last `capacity` entries. */
export function createRecent<T>(capacity: number): Recent<T> {
  let entries: T[] = [];
  let total = 0;
  return {
    add(entry) {
      total++;
      entries.push(entry);
      if (entries.length >= capacity * 2) entries = entries.slice(-capacity);
    },
    list: () => entries.slice(-capacity),
    get total() {
      return total;
    },
    clear() {
      entries = [];
      total = 0;
    },
  };
}
