/** Finds the number of a text that was added before: about 18 bytes an entry, because the texts are not kept. */
import { randomInt } from 'node:crypto';
import { keyOf, KeyTable, noKey } from './key-table.ts';
import { NumberList } from './columns.ts';

/** Entries are numbered from 0 in the order they are added. */
export class TextTable {
  readonly #table = new KeyTable();
  readonly #seed = randomInt(2 ** 32);

  get size(): number {
    return this.#table.size;
  }

  add(text: string): number {
    return this.#table.add(keyOf(text, this.#seed));
  }

  /** Adds an entry that `find` never returns. */
  skip(): number {
    return this.#table.add(noKey);
  }

  /** All entries of the text, the newest first. */
  findAll(text: string): readonly number[] {
    return this.#table.findAll(keyOf(text, this.#seed));
  }

  /** The newest entry of the text, or -1. */
  find(text: string): number {
    return this.#table.find(keyOf(text, this.#seed));
  }
}

/** A number for each text: about 22 bytes a text. */
export class TextMarks {
  readonly #texts = new TextTable();
  readonly #marks = new NumberList();

  /** The number with which the text was added first, which stays; -1 for a new text. By default numbers rise from 0. */
  add(text: string, mark = this.#texts.size): number {
    const known = this.#texts.find(text);
    if (known !== -1) return this.#marks.get(known)!;
    this.#texts.add(text);
    this.#marks.push(mark);
    return -1;
  }
}
