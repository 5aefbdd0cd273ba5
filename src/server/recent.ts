/** Bounds what requests leave behind: the last entries of a log, the newest rows of a table. */
import type { Row, Table } from './store/table.ts';

/** Characters that are kept of a body, a path, a line of the log. */
const shownText = 4000;

/** The beginning of a text, as a copy: a slice would keep the whole text in memory. */
export const excerpt = (text: string): string => Buffer.from(text.slice(0, shownText)).toString();

/** Makes room in a table that grows with every request: at `most` rows, the oldest tenth is deleted. */
export function makeRoom(table: Table<Row>, most: number) {
  if (table.size < most) return;
  let rest = Math.ceil(most / 10);
  for (const { id } of table.values()) {
    if (rest-- === 0) return;
    table.delete(id);
  }
}

/** How many entries are kept. */
const capacity = 10_000;

/** Keeps the last entries, for the control interface. */
export function createRecent() {
  let entries: unknown[] = [];
  let total = 0;
  return {
    add(entry: unknown) {
      total++;
      entries.push(entry);
      if (entries.length >= capacity * 2) entries = entries.slice(-capacity);
    },
    list: (): readonly unknown[] => entries.slice(-capacity),
    /** How many entries there were in all. */
    get total() {
      return total;
    },
    clear() {
      entries = [];
      total = 0;
    },
  };
}
