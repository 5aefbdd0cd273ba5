/** Finds the entries of a key or of a text in a table, by a hash. An entry takes about 18 bytes, and no strings are kept. */
import { growingWords, growTo, NumberList } from './columns.ts';
import { randomInt } from 'node:crypto';

/** Two words that `hashText` makes of a text. Two zeros mean no key. */
export type Key = readonly [number, number];

const keyWords = 2;

export const noKey: Key = [0, 0];

/** A new one in every run, so that an attacker cannot prepare texts that collide. */
const seed = randomInt(2 ** 32);

/** Returns the key that begins at a word. A view of the words would take longer than all else here. */
export const keyIn = (words: Uint32Array, at: number): Key => [words[at]!, words[at + 1]!];

const scratch = new Uint32Array(keyWords);

function keyOf(text: string) {
  hashText(text, seed, scratch, 0);
  return keyIn(scratch, 0);
}

/** Returns the key of an id or an email, or `noKey` if it is empty. */
export const keyIfAny = (text: string) => (text === '' ? noKey : keyOf(text));

export const isKey = (key: Key) => key[0] !== 0 || key[1] !== 0;

/** Reports whether two keys are equal. Missing keys are never equal. */
export const isSameKey = (one: Key, other: Key) => isKey(one) && one[0] === other[0] && one[1] === other[1];

/** Words of an entry: its key, and the next older entry of its bucket plus 1. 0 ends the bucket. */
const entryWords = keyWords + 1;
const link = keyWords;

/** Entries are numbered from 0 in the order in which they are added. Several may have the same key. */
export class KeyTable {
  size = 0;
  #entries = growingWords();
  /** Newest entry of each bucket plus 1. */
  #heads = growingWords();

  /** Returns the entry's number. An entry without a key cannot be found. */
  add(key: Key) {
    const entry = this.size++;
    this.#entries = growTo(this.#entries, this.size * entryWords);
    if (entry >= this.#heads.length) this.#grow();
    this.set(entry, key);
    return entry;
  }

  /** Sets the key of an entry that has none yet. */
  set(entry: number, key: Key) {
    const at = entry * entryWords;
    this.#entries[at] = key[0];
    this.#entries[at + 1] = key[1];
    this.#link(entry);
  }

  /** Returns the newest entry of the key, or -1. */
  find(key: Key) {
    if (this.size === 0 || !isKey(key)) return -1;
    return this.#walk(this.#heads[key[0] & (this.#heads.length - 1)]!, key);
  }

  /** Returns all entries of the key, newest first. */
  findAll(key: Key) {
    const entries: number[] = [];
    for (let entry = this.find(key); entry !== -1;) {
      entries.push(entry);
      entry = this.#walk(this.#entries[entry * entryWords + link]!, key);
    }
    return entries;
  }

  keyAt(entry: number) {
    return keyIn(this.#entries, entry * entryWords);
  }

  #walk(newest: number, key: Key) {
    const entries = this.#entries;
    for (let next = newest; next !== 0;) {
      const at = (next - 1) * entryWords;
      if (entries[at] === key[0] && entries[at + 1] === key[1]) return next - 1;
      next = entries[at + link]!;
    }
    return -1;
  }

  #link(entry: number) {
    const at = entry * entryWords;
    const high = this.#entries[at]!;
    if (high === 0 && this.#entries[at + 1] === 0) return;
    const bucket = high & (this.#heads.length - 1);
    this.#entries[at + link] = this.#heads[bucket]!;
    this.#heads[bucket] = entry + 1;
  }

  #grow() {
    this.#heads = growTo(this.#heads, Math.max(1024, this.#heads.length * 2)).fill(0);
    for (let entry = 0; entry < this.size - 1; entry++) this.#link(entry);
  }
}

/**
 * Writes two words to `into[at]` and `into[at + 1]`. Two lanes like those of MurmurHash3 over pairs of UTF-16 units,
 * each mixed into the other at every step, with the finish of MurmurHash3 x86_128. `seed` is any 32-bit number, a new
 * one in every run, so that an attacker cannot prepare texts that collide.
 */
export function hashText(text: string, seed: number, into: Uint32Array, at: number) {
  const length = text.length;
  let one = seed | 0;
  let two = ~seed ^ 0x5bd1e995;
  for (let i = 0; i < length; i += 2) {
    const units = text.charCodeAt(i) | (i + 1 < length ? text.charCodeAt(i + 1) << 16 : 0);
    const first = Math.imul(units, 0xcc9e2d51);
    one ^= Math.imul((first << 15) | (first >>> 17), 0x1b873593);
    one = (Math.imul((one << 13) | (one >>> 19), 5) + two) | 0;
    const second = Math.imul(units, 0x239b961b);
    two ^= Math.imul((second << 16) | (second >>> 16), 0xab0e9789);
    two = (Math.imul((two << 17) | (two >>> 15), 5) + one + 0x561ccd1b) | 0;
  }
  one = (one ^ length) + (two ^ length);
  two = (two ^ length) + one;
  one = finish(one);
  two = finish(two);
  into[at] = one + two;
  into[at + 1] = one + 2 * two;
}

function finish(lane: number) {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** Entries are numbered from 0 in the order in which they are added. */
export class TextTable {
  readonly #table = new KeyTable();

  get size() {
    return this.#table.size;
  }

  add(text: string) {
    return this.#table.add(keyOf(text));
  }

  /** Adds an entry that `find` never returns. */
  skip() {
    return this.#table.add(noKey);
  }

  /** Returns all entries of the text, newest first. */
  findAll(text: string) {
    return this.#table.findAll(keyOf(text));
  }

  /** Returns the newest entry of the text, or -1. */
  find(text: string) {
    return this.#table.find(keyOf(text));
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
