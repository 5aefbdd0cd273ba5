/** Finds the number of a text that was added before: about 18 bytes an entry, because the texts are not kept. */
import { randomInt } from 'node:crypto';
import { hashText } from './hash-text.ts';
import { KeyTable, keyWords } from './key-table.ts';
import { NumberList } from './number-list.ts';

/** Entries are numbered from 0 in the order they are added. */
export class TextTable {
  readonly #table = new KeyTable();
  readonly #seed = randomInt(2 ** 32);
  readonly #key = new Uint32Array(keyWords);

  get size(): number {
    return this.#table.size;
  }

  add(text: string): number {
    hashText(text, this.#seed, this.#key, 0);
    return this.#table.add(this.#key, 0);
  }

  /** Adds an entry that `find` never returns. */
  skip(): number {
    this.#key.fill(0);
    return this.#table.add(this.#key, 0);
  }

  /** All entries of the text, the newest first. */
  findAll(text: string): readonly number[] {
    hashText(text, this.#seed, this.#key, 0);
    return this.#table.findAll(this.#key, 0);
  }

  /** The newest entry of the text, or -1. */
  find(text: string): number {
    hashText(text, this.#seed, this.#key, 0);
    return this.#table.find(this.#key, 0);
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
