/** Keeps the last entries of a kind: calls sent, requests, lines of the log. */

export interface Recent<T> {
  add(entry: T): void;
  list(): readonly T[];
  /** How many there were in all. */
  readonly total: number;
  clear(): void;
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
