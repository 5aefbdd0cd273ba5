/**
 * Keeps the rows of a joined table as texts, found by their keys: 30 bytes per row and key in memory, and texts on disk
 * from 2 MB on.
 */
import { randomInt } from 'node:crypto';
import { keyIfAny, KeyTable } from '../../compact/key-table.ts';
import { createPieceStore, type OpenSpillFile, type PieceStore } from '../../compact/piece-store.ts';

export class RowStore {
  /** Seed for the hashes of keys. */
  readonly seed = randomInt(2 ** 32);
  /** A table for each key of a row. Its entries are the rows, in the order in which they were added. */
  readonly keys: readonly KeyTable[];
  readonly #texts: PieceStore;

  /** `columns` is the number of keys of each row. */
  constructor(openSpillFile: OpenSpillFile = () => undefined, columns = 1) {
    this.#texts = createPieceStore(openSpillFile);
    this.keys = Array.from({ length: columns }, () => new KeyTable());
  }

  /** Adds a row. It cannot be found by an empty key. */
  add(text: string, ...keys: readonly string[]) {
    this.#texts.add(text);
    for (const [column, table] of this.keys.entries()) table.add(keyIfAny(keys[column] ?? '', this.seed));
  }

  /** Returns the rows with this first key, in the order of the table. */
  rowsOf(key: string) {
    return this.keys[0]!.findAll(keyIfAny(key, this.seed)).reverse();
  }

  /** Returns the texts of the last rows with this first key, at most `most`. */
  find(key: string, most: number) {
    return this.rowsOf(key)
      .slice(-most)
      .map((row) => this.text(row));
  }

  text(row: number) {
    return this.#texts.get(row).toString('utf8');
  }

  close() {
    this.#texts.close();
  }
}
