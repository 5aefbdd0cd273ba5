/**
 * Makes 96-bit keys of texts, and finds the entries of a key in a table: about 22 bytes an entry, without strings. A
 * key is three words of a Uint32Array, passed as the array and the index of the first word; three zeros are no key.
 * Every `KeyMaker` has random multipliers, so that an attacker cannot prepare two texts with the same key.
 */
import { randomFillSync } from 'node:crypto';
import { growingWords, growTo } from './growing-words.ts';

export const keyWords = 3;

export class KeyMaker {
  /** Signed, because V8 multiplies those faster. */
  readonly #seeds = drawSeeds();

  /** By UTF-16 units. */
  ofText(text: string, into: Uint32Array, at: number): void {
    const seeds = this.#seeds;
    let a = seeds[0]!;
    let b = seeds[1]!;
    let c = seeds[2]!;
    const ka = seeds[3]!;
    const kb = seeds[4]!;
    const kc = seeds[5]!;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      a = Math.imul(a ^ unit, ka);
      b = Math.imul(b ^ unit, kb);
      c = Math.imul(c ^ unit, kc);
    }
    finish(a, b, c, into, at);
  }
}

function drawSeeds(): Int32Array {
  const seeds = randomFillSync(new Int32Array(6));
  for (const at of [3, 4, 5]) seeds[at]! |= 1;
  return seeds;
}

function finish(a: number, b: number, c: number, into: Uint32Array, at: number): void {
  into[at] = spread(a ^ (b >>> 16));
  into[at + 1] = spread(b ^ (c >>> 16));
  into[at + 2] = spread(c ^ (a >>> 16));
}

/** The finisher of MurmurHash3: every bit of the input affects every bit of the result. */
function spread(word: number): number {
  let bits = word;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

export function isKey(words: Uint32Array, at: number): boolean {
  return words[at] !== 0 || words[at + 1] !== 0 || words[at + 2] !== 0;
}

export function sameKey(one: Uint32Array, at: number, other: Uint32Array, otherAt: number): boolean {
  return (
    one[at] === other[otherAt] && one[at + 1] === other[otherAt + 1] && one[at + 2] === other[otherAt + 2]
  );
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
      rows[cell + 2] = words[from + 2]!;
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
