/** Keeps the rows of a joined table as texts, found by their keys: 34 bytes a row and key in memory, and the texts on disk from 2 MB on. */
import { KeyMaker, KeyTable, keyWords } from '../../compact/key-table.ts';
import { type OpenSpillFile, PieceStore } from '../../compact/piece-store.ts';

export class RowStore {
  readonly maker = new KeyMaker();
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
      if (keys[column] !== '') this.maker.ofText(keys[column]!, this.#words, column * keyWords);
    this.keys.add(this.#words, 0);
  }

  /** Those with this first key, in the order of the table. */
  rowsOf(key: string): number[] {
    if (key === '') return [];
    this.maker.ofText(key, this.#words, 0);
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
