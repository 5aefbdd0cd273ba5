/** Finds the number of a text that was added before. An entry takes about 18 bytes, because the texts are not kept. */
import { randomInt } from 'node:crypto';
import { keyOf, KeyTable, noKey } from './key-table.ts';
import { NumberList } from './columns.ts';

/** Entries are numbered from 0 in the order in which they are added. */
export class TextTable {
  readonly #table = new KeyTable();
  readonly #seed = randomInt(2 ** 32);

  get size() {
    return this.#table.size;
  }

  add(text: string) {
    return this.#table.add(keyOf(text, this.#seed));
  }

  /** Adds an entry that `find` never returns. */
  skip() {
    return this.#table.add(noKey);
  }

  /** Returns all entries of the text, newest first. */
  findAll(text: string): readonly number[] {
    return this.#table.findAll(keyOf(text, this.#seed));
  }

  /** Returns the newest entry of the text, or -1. */
  find(text: string) {
    return this.#table.find(keyOf(text, this.#seed));
  }
}

/** Keeps a number for each text, in about 22 bytes per text. */
export class TextMarks {
  readonly #texts = new TextTable();
  readonly #marks = new NumberList();

  /**
   * Returns the number with which the text was first added, which does not change, or -1 for a new text. By default, numbers
   * ascend from 0.
   */
  add(text: string, mark = this.#texts.size) {
    const known = this.#texts.find(text);
    if (known !== -1) return this.#marks.get(known)!;
    this.#texts.add(text);
    this.#marks.push(mark);
    return -1;
  }
}
