/** Finds the entries of a key in a table. An entry takes about 18 bytes, and no strings are kept. */
import { growingWords, growTo } from './columns.ts';
import { hashText } from './hash-text.ts';

/** Two words that `hashText` makes of a text. Two zeros mean no key. */
export type Key = ArrayLike<number>;

const keyWords = 2;

export const noKey: Key = [0, 0];

export function keyOf(text: string, seed: number): Key {
  const key = new Uint32Array(keyWords);
  hashText(text, seed, key, 0);
  return key;
}

/** Returns the key of an id or an email, or `noKey` if it is empty. */
export const keyIfAny = (text: string, seed: number) => (text === '' ? noKey : keyOf(text, seed));

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
    this.#entries[at] = key[0]!;
    this.#entries[at + 1] = key[1]!;
    this.#link(entry);
  }

  /** Returns the newest entry of the key, or -1. */
  find(key: Key) {
    if (this.size === 0 || !isKey(key)) return -1;
    return this.#walk(this.#heads[key[0]! & (this.#heads.length - 1)]!, key);
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

  keyAt(entry: number): Key {
    const at = entry * entryWords;
    return this.#entries.slice(at, at + keyWords);
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
