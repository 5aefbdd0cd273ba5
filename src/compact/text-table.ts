/** Finds the number of a text that was added before: about 22 bytes an entry, because the texts are not kept. */
import { KeyMaker, KeyTable, keyWords } from './key-table.ts';

/** Entries are numbered from 0 in the order they are added. */
export class TextTable {
  readonly #table = new KeyTable();
  readonly #maker = new KeyMaker();
  readonly #key = new Uint32Array(keyWords);

  get size(): number {
    return this.#table.size;
  }

  add(text: string): number {
    this.#maker.ofText(text, this.#key, 0);
    return this.#table.add(this.#key, 0);
  }

  /** Adds an entry that `find` never returns. */
  skip(): number {
    this.#key.fill(0);
    return this.#table.add(this.#key, 0);
  }

  /** All entries of the text, the newest first. */
  findAll(text: string): readonly number[] {
    this.#maker.ofText(text, this.#key, 0);
    return this.#table.findAll(this.#key, 0);
  }

  /** The newest entry of the text, or -1. */
  find(text: string): number {
    this.#maker.ofText(text, this.#key, 0);
    return this.#table.find(this.#key, 0);
  }
}
