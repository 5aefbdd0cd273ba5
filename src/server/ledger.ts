/** Entries in, the last so many of them out, the newest last: calls sent, requests, lines of the log. */

export interface Ledger<T> {
  add(entry: T): void;
  list(): readonly T[];
  /** How many there were in all. */
  readonly total: number;
  clear(): void;
}

/** Keeps the last `capacity` entries. */
export function createLedger<T>(capacity: number): Ledger<T> {
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
