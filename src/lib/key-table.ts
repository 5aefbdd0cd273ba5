/**
 * Texts in, 96-bit keys out, and a table that finds the entries of a key: about 22 bytes an entry, no strings.
 * A key is three words of a Uint32Array, given as the array and the place of the first one; three zeros are no key.
 * The multipliers are drawn anew for every maker, so that nobody can prepare two texts with one key.
 */
import { randomFillSync } from 'node:crypto';

export const keyWords = 3;

export class KeyMaker {
  /** Makers with the same ones give the same keys. Signed, because these are what multiplies fast. */
  readonly seeds: Int32Array;

  constructor(seeds: Int32Array = drawSeeds()) {
    this.seeds = seeds;
  }

  /** The key of `prefix` followed by `text`, by UTF-16 units. */
  ofText(prefix: string, text: string, into: Uint32Array, at: number): void {
    const { seeds } = this;
    let a = seeds[0]!;
    let b = seeds[1]!;
    let c = seeds[2]!;
    const ka = seeds[3]!;
    const kb = seeds[4]!;
    const kc = seeds[5]!;
    for (let i = 0; i < prefix.length; i++) {
      const unit = prefix.charCodeAt(i);
      a = Math.imul(a ^ unit, ka);
      b = Math.imul(b ^ unit, kb);
      c = Math.imul(c ^ unit, kc);
    }
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      a = Math.imul(a ^ unit, ka);
      b = Math.imul(b ^ unit, kb);
      c = Math.imul(c ^ unit, kc);
    }
    finish(a, b, c, into, at);
  }

  /**
   * The same from ASCII: the key of `prefix` followed by `bytes[start, end)`; with `fold` capitals count as small.
   * False, and no key, where there is another byte among them.
   */
  ofBytes(
    prefix: string,
    bytes: Uint8Array,
    start: number,
    end: number,
    fold: boolean,
    into: Uint32Array,
    at: number,
  ): boolean {
    const { seeds } = this;
    let a = seeds[0]!;
    let b = seeds[1]!;
    let c = seeds[2]!;
    const ka = seeds[3]!;
    const kb = seeds[4]!;
    const kc = seeds[5]!;
    for (let i = 0; i < prefix.length; i++) {
      const unit = prefix.charCodeAt(i);
      a = Math.imul(a ^ unit, ka);
      b = Math.imul(b ^ unit, kb);
      c = Math.imul(c ^ unit, kc);
    }
    let seen = 0;
    for (let i = start; i < end; i++) {
      let unit = bytes[i]!;
      seen |= unit;
      if (fold && unit >= 0x41 && unit <= 0x5a) unit |= 0x20;
      a = Math.imul(a ^ unit, ka);
      b = Math.imul(b ^ unit, kb);
      c = Math.imul(c ^ unit, kc);
    }
    if (seen >= 0x80) return false;
    finish(a, b, c, into, at);
    return true;
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

/** The finisher of MurmurHash3: every bit in touches every bit out. */
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

const chunkBits = 18;
const chunkSize = 1 << chunkBits;
const chunkMask = chunkSize - 1;

/** Entries are numbered from 0 in the order of their arrival; several may have one key. */
export class KeyTable {
  size = 0;
  #heads = new Uint32Array(1024);
  /** In chunks: growing copies nothing. In large ones: the system gets them back at once. */
  readonly #keys: Uint32Array[] = [];
  /** Entry before this one in its bucket, plus 1; 0 ends the bucket. */
  readonly #links: Uint32Array[] = [];

  /** Adds an entry and gives its number; one without a key is never found. */
  add(words: Uint32Array, at: number): number {
    const entry = this.size++;
    if ((entry & chunkMask) === 0) {
      this.#keys.push(new Uint32Array(chunkSize * keyWords));
      this.#links.push(new Uint32Array(chunkSize));
    }
    if (entry >= this.#heads.length) this.#grow();
    if (!isKey(words, at)) return entry;
    const keys = this.#keys[entry >>> chunkBits]!;
    const to = (entry & chunkMask) * keyWords;
    keys[to] = words[at]!;
    keys[to + 1] = words[at + 1]!;
    keys[to + 2] = words[at + 2]!;
    this.#link(entry, words[at]!);
    return entry;
  }

  /**
   * What is about to be found: the newest entry of each bucket, plus 1, into `entries`. `count` keys, the first at
   * `words[at]`, each `step` words behind the one before. Changes nothing: it is there so that the memory of many is
   * waited for at once.
   */
  foresee(words: Uint32Array, at: number, step: number, count: number, entries: Uint32Array): void {
    const heads = this.#heads;
    const mask = heads.length - 1;
    for (let n = 0; n < count; n++) entries[n] = heads[words[at + n * step]! & mask]!;
  }

  /** The same for the keys of these entries. */
  foreseeKeys(entries: Uint32Array, count: number): number {
    let seen = 0;
    for (let n = 0; n < count; n++) {
      const entry = entries[n]! - 1;
      if (entry >= 0) seen ^= this.#keys[entry >>> chunkBits]![(entry & chunkMask) * keyWords]!;
    }
    return seen;
  }

  /** The newest entry of the key, or -1. */
  find(words: Uint32Array, at: number): number {
    return isKey(words, at) ? this.#walk(this.#heads[words[at]! & (this.#heads.length - 1)]!, words, at) : -1;
  }

  /** The entry of the key where it is the only one; -1 for none, and for several. */
  findOnly(words: Uint32Array, at: number): number {
    const entry = this.find(words, at);
    return entry === -1 || this.findBefore(entry, words, at) !== -1 ? -1 : entry;
  }

  /** The entry of the key before `entry`, or -1. */
  findBefore(entry: number, words: Uint32Array, at: number): number {
    return this.#walk(this.#links[entry >>> chunkBits]![entry & chunkMask]!, words, at);
  }

  /** Whether `entry` has this key. */
  has(entry: number, words: Uint32Array, at: number): boolean {
    return sameKey(this.#keys[entry >>> chunkBits]!, (entry & chunkMask) * keyWords, words, at);
  }

  /** Writes the key of `entry` to `into[at]`. */
  keyOf(entry: number, into: Uint32Array, at: number): void {
    const from = (entry & chunkMask) * keyWords;
    into.set(this.#keys[entry >>> chunkBits]!.subarray(from, from + keyWords), at);
  }

  /** Whether two entries have one key; entries without a key are like no other. */
  same(one: number, other: number): boolean {
    const keys = this.#keys[one >>> chunkBits]!;
    const at = (one & chunkMask) * keyWords;
    return isKey(keys, at) && this.has(other, keys, at);
  }

  #walk(link: number, words: Uint32Array, at: number): number {
    let next = link;
    while (next !== 0) {
      const entry = next - 1;
      if (this.has(entry, words, at)) return entry;
      next = this.#links[entry >>> chunkBits]![entry & chunkMask]!;
    }
    return -1;
  }

  #link(entry: number, word: number): void {
    const bucket = word & (this.#heads.length - 1);
    this.#links[entry >>> chunkBits]![entry & chunkMask] = this.#heads[bucket]!;
    this.#heads[bucket] = entry + 1;
  }

  #grow(): void {
    this.#heads = new Uint32Array(this.#heads.length * 2);
    for (let entry = 0; entry < this.size - 1; entry++) {
      const keys = this.#keys[entry >>> chunkBits]!;
      const at = (entry & chunkMask) * keyWords;
      if (isKey(keys, at)) this.#link(entry, keys[at]!);
    }
  }
}
