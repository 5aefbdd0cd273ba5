/** Keeps the rows of a joined table as texts, found by their keys: 30 bytes a row and key in memory, and the texts on disk from 2 MB on. */
import { randomInt } from 'node:crypto';
import { hashText } from '../../compact/hash-text.ts';
import { KeyTable, keyWords } from '../../compact/key-table.ts';
import { type OpenSpillFile, PieceStore } from '../../compact/piece-store.ts';

export class RowStore {
  /** Of the hashes of keys. */
  readonly seed = randomInt(2 ** 32);
  /** Its entries are the rows, in the order in which they were added. */
  readonly keys: KeyTable;
  readonly #words: Uint32Array;
  readonly #texts: PieceStore;

  /** Every row has so many keys. */
  constructor(openSpillFile: OpenSpillFile = () => undefined, columns = 1) {
    this.#texts = new PieceStore(openSpillFile);
    this.keys = new KeyTable(columns);
    this.#words = new Uint32Array(columns * keyWords);
  }

  /** Without a key, which is empty, a row cannot be found by it. */
  add(text: string, ...keys: readonly string[]): void {
    this.#texts.add(text);
    this.#words.fill(0);
    for (let column = 0; column < keys.length; column++)
      if (keys[column] !== '') hashText(keys[column]!, this.seed, this.#words, column * keyWords);
    this.keys.add(this.#words, 0);
  }

  /** Those with this first key, in the order of the table. */
  rowsOf(key: string): number[] {
    if (key === '') return [];
    hashText(key, this.seed, this.#words, 0);
    return this.keys.findAll(this.#words, 0).reverse();
  }

  /** The texts of the last of them, at most so many. */
  find(key: string, most: number): string[] {
    return this.rowsOf(key)
      .slice(-most)
      .map((row) => this.text(row));
  }

  text(row: number): string {
    return this.#texts.get(row).toString('utf8');
  }

  close(): void {
    this.#texts.close();
  }
}
