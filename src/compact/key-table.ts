/**
 * Finds the entries of a key in a table: about 18 bytes an entry, without strings. A key is the two words that
 * `hashText` makes of a text, passed as the array and the index of the first word; two zeros are no key.
 */
import { growingWords, growTo } from './growing-words.ts';

export const keyWords = 2;

export function isKey(words: Uint32Array, at: number): boolean {
  return words[at] !== 0 || words[at + 1] !== 0;
}

function sameKey(one: Uint32Array, at: number, other: Uint32Array, otherAt: number): boolean {
  return one[at] === other[otherAt] && one[at + 1] === other[otherAt + 1];
}

/** A key, and the next older entry of its bucket plus 1; 0 ends the bucket. */
const cellWords = keyWords + 1;
const link = keyWords;

/**
 * Entries are numbered from 0 in the order they are added; each has a key in every column, and several may have the
 * same one. All words of an entry are adjacent, because most of a search is waiting for memory.
 */
export class KeyTable {
  size = 0;
  readonly #columns: number;
  readonly #rowWords: number;
  /** By column: the newest entry of each bucket plus 1. */
  readonly #heads: Uint32Array<ArrayBuffer>[];
  #rows = growingWords();

  constructor(columns = 1) {
    this.#columns = columns;
    this.#rowWords = columns * cellWords;
    this.#heads = Array.from({ length: columns }, growingWords);
  }

  /**
   * Adds an entry with one key for each column, adjacent in `words`; without a key it cannot be found by that column.
   */
  add(words: Uint32Array, at: number): number {
    const entry = this.size++;
    const row = entry * this.#rowWords;
    const rows = (this.#rows = growTo(this.#rows, row + this.#rowWords));
    if (entry >= this.#heads[0]!.length) this.#grow();
    for (let column = 0; column < this.#columns; column++) {
      const from = at + column * keyWords;
      if (!isKey(words, from)) continue;
      const cell = row + column * cellWords;
      rows[cell] = words[from]!;
      rows[cell + 1] = words[from + 1]!;
      this.#link(entry, column);
    }
    return entry;
  }

  /** The newest entry of the key, or -1. */
  find(words: Uint32Array, at: number, column = 0): number {
    if (this.size === 0 || !isKey(words, at)) return -1;
    const heads = this.#heads[column]!;
    return this.#walk(heads[words[at]! & (heads.length - 1)]!, words, at, column);
  }

  /** All entries of the key, the newest first. */
  findAll(words: Uint32Array, at: number, column = 0): number[] {
    const entries: number[] = [];
    for (let entry = this.find(words, at, column); entry !== -1;) {
      entries.push(entry);
      const older = this.#rows[this.#cell(entry, column) + link]!;
      entry = this.#walk(older, words, at, column);
    }
    return entries;
  }

  /** Whether `entry` has this key. */
  has(entry: number, words: Uint32Array, at: number, column = 0): boolean {
    return sameKey(this.#rows, this.#cell(entry, column), words, at);
  }

  /** Writes the key of `entry` to `into[at]`. */
  keyOf(entry: number, into: Uint32Array, at: number, column = 0): void {
    const from = this.#cell(entry, column);
    into.set(this.#rows.subarray(from, from + keyWords), at);
  }

  /** Whether two entries have the same key; false where they have none. */
  same(one: number, other: number, column = 0): boolean {
    const at = this.#cell(one, column);
    return isKey(this.#rows, at) && this.has(other, this.#rows, at, column);
  }

  #cell(entry: number, column: number): number {
    return entry * this.#rowWords + column * cellWords;
  }

  #walk(newest: number, words: Uint32Array, at: number, column: number): number {
    const rows = this.#rows;
    for (let next = newest; next !== 0;) {
      const entry = next - 1;
      const cell = this.#cell(entry, column);
      if (sameKey(rows, cell, words, at)) return entry;
      next = rows[cell + link]!;
    }
    return -1;
  }

  #link(entry: number, column: number): void {
    const rows = this.#rows;
    const cell = this.#cell(entry, column);
    const heads = this.#heads[column]!;
    const bucket = rows[cell]! & (heads.length - 1);
    rows[cell + link] = heads[bucket]!;
    heads[bucket] = entry + 1;
  }

  #grow(): void {
    for (const [column, heads] of this.#heads.entries()) {
      this.#heads[column] = growTo(heads, Math.max(1024, heads.length * 2)).fill(0);
      for (let entry = 0; entry < this.size - 1; entry++)
        if (isKey(this.#rows, this.#cell(entry, column))) this.#link(entry, column);
    }
  }
}
