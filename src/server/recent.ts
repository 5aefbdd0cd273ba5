/** Limits what requests leave behind: the last entries of a log, the newest rows of a table. */
import { flattenString } from '../lib/strings.ts';
import type { Row, Table } from './store/table.ts';

/** Characters kept of a body, a path or a log line. */
const shownText = 4000;

/** Returns the beginning of a text, as a copy: a slice would keep the whole text in memory. */
export const excerpt = (text: string) => flattenString(text.slice(0, shownText));

/** Deletes the oldest tenth of a table that grows with every request, once it has `most` rows. */
export function makeRoom(table: Table<Row>, most: number) {
  if (table.size < most) return;
  let rest = Math.ceil(most / 10);
  for (const { id } of table.values()) {
    if (rest-- === 0) return;
    table.delete(id);
  }
}

export type Recent<Entry> = ReturnType<typeof createRecent<Entry>>;

/** Creates a log that keeps the last entries for the control interface. */
export function createRecent<Entry>(capacity = 10_000) {
  let entries: Entry[] = [];
  let total = 0;
  return {
    add(entry: Entry) {
      total++;
      entries.push(entry);
      if (entries.length >= capacity * 2) entries = entries.slice(-capacity);
    },
    list: (): readonly Entry[] => entries.slice(-capacity),
    /** Number of entries ever added since the last `clear`. */
    get total() {
      return total;
    },
    clear() {
      entries = [];
      total = 0;
    },
  };
}
