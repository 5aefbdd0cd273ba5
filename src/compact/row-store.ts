/** Keeps rows as texts, found by a key. A row and its key take 30 bytes in memory. Texts are on disk from 2 MB on. */
import { keyIfAny, KeyTable } from './key-table.ts';
import { createPieceStore, type OpenSpillFile, type PieceStore } from './piece-store.ts';

export class RowStore {
  /** Its entries are the rows, in the order in which they were added. */
  readonly #keys = new KeyTable();
  readonly #texts: PieceStore;

  constructor(openSpillFile?: OpenSpillFile) {
    this.#texts = createPieceStore(openSpillFile, undefined, 2048);
  }

  get size() {
    return this.#keys.size;
  }

  /** Adds a row. It cannot be found by an empty key. */
  add(text: string, key: string) {
    this.#texts.add(text);
    this.#keys.add(keyIfAny(key));
  }

  /** Returns the rows with this key, in the order in which they were added. */
  rowsOf(key: string) {
    return this.#keys.findAll(keyIfAny(key)).reverse();
  }

  /** Returns the texts of the last rows with this key, at most `most`. */
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
