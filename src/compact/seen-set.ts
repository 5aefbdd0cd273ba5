/**
 * Hashes in, the ordinal of the first holder of each out: who came twice, over hundreds of millions of records and
 * without any text. About 5 bytes a hash are in memory (a Map takes 164, and ends at 16.7 million of them), and 12 on a
 * shelf.
 *
 * All 64 bits of each hash are compared. The chance that any two different texts of a run are taken for the same one is
 * n^2 / 2^65: 1 in 92,000 for 20 million texts, 1 in 9 million for two million.
 */
import { SeenLog, type SeenLogOptions, rowWords } from './seen-log.ts';
import { createGrowableMemory, type GrowableMemory } from './growable-memory.ts';

export interface Fingerprints {
  readonly size: number;
  /**
   * The ordinal of the first holder of this hash (two 32-bit words), or -1 when it is new: then `ordinal` (from 0 to
   * 2^32 - 2; when absent, how many were new before it) becomes its holder.
   */
  claim(hi: number, lo: number, ordinal?: number): number;
  /**
   * Looks at where hashes will be claimed, `count` of them, the first word of the first at `hashes[at]`, each `step`
   * words behind the one before, all with the bits of `mask` turned. Changes nothing: it is there so that the memory of
   * many is waited for at once.
   */
  prefetch(hashes: Uint32Array, at: number, step: number, count: number, mask?: number): void;
  /** Frees the shelf; nothing can be asked any more. Harmless when called again. */
  close(): void;
}

export interface SeenSetOptions extends SeenLogOptions {
  readonly createMemory?: () => GrowableMemory;
  /** How many different ones there will be in the end, by all that is known now; NaN where nothing is. */
  readonly expect?: () => number;
}

export function createSeenSet(options: SeenSetOptions = {}): Fingerprints {
  return new TagTable(options);
}

const slotBytes = 4;
const smallest = 4096;
/** Of all slots, once everybody has come who is expected; and when there have to be more slots. */
const aimedLoad = 0.85;
const maxLoad = 0.9;
/** By what the table grows where it is not known what is to come, or where that was too little. */
const leastGrowth = 1.4;
/** So many times as many as there are now are believed to come; of more than that, the root for now. */
const believed = 64;
/** A slot has 16 bits for its group. Groups are counted from 1, because a slot with zero is free. */
const mostGroups = 0xffff;
/** Rows of the log that are put in their places at a time. */
const refillRows = 128;

/**
 * Open addressing in slots of 4 bytes: 16 bits of the hash, and in which group of claims it was made. Where those bits
 * are the right ones, the log tells whether the rest is: for everybody who comes twice, and by chance for one in
 * thousands of the others. To grow, the table is filled again from the log; so the old one need not be kept for that.
 */
class TagTable implements Fingerprints {
  readonly #memory: GrowableMemory;
  readonly #log: SeenLog;
  readonly #expect: () => number;
  #slots = new Int32Array(0);
  /** Makes a place in the table of the first word of a hash. */
  #scale = 0;
  #limit = 0;
  /** A group has 2 to the power of this claims: as few as can be for all that the table will take. */
  #groupBits = 0;
  /** What is looked at is kept here, because the engine leaves out what nobody needs. */
  readonly #seen = new Int32Array(1);

  constructor({ createMemory = createGrowableMemory, expect = () => Number.NaN, ...log }: SeenSetOptions) {
    this.#memory = createMemory();
    this.#log = new SeenLog(log);
    this.#expect = expect;
    this.#provide(smallest);
  }

  get size(): number {
    return this.#log.length;
  }

  claim(hi: number, lo: number, ordinal = this.size): number {
    const slots = this.#slots;
    // Signed: other numbers of 32 bits are objects to the engine.
    const high = hi | 0;
    const low = lo | 0;
    let at = this.#homeOf(high);
    for (let slot = slots[at]!; slot !== 0; slot = slots[at]!) {
      if ((slot ^ low) >>> 16 === 0) {
        const holder = this.#holderIn(slot, high, low);
        if (holder !== -1) return holder;
      }
      at++;
      if (at === slots.length) at = 0;
    }
    slots[at] = slotOf(low, this.#log.length >>> this.#groupBits);
    this.#log.add(high, low, ordinal | 0);
    if (this.#log.length > this.#limit) this.#grow();
    return -1;
  }

  prefetch(hashes: Uint32Array, at: number, step: number, count: number, mask = 0): void {
    const slots = this.#slots;
    let seen = 0;
    for (let n = 0; n < count; n++) seen ^= slots[this.#homeOf(hashes[at + n * step]! ^ mask)]!;
    this.#seen[0] = seen;
  }

  close(): void {
    this.#log.close();
  }

  #homeOf(high: number): number {
    return ((high >>> 0) * this.#scale) | 0;
  }

  #holderIn(slot: number, high: number, low: number): number {
    const group = (slot & 0xffff) - 1;
    return this.#log.find(high, low, group << this.#groupBits, 1 << this.#groupBits);
  }

  #grow(): void {
    const { size } = this;
    this.#slots.fill(0);
    this.#provide(Math.ceil((size * growthFor(this.#expect() / size)) / aimedLoad));
    let number = 0;
    for (const rows of this.#log.all()) {
      for (let at = 0; at < rows.length; at += refillRows * rowWords) {
        number = this.#refill(rows, at, Math.min(rows.length, at + refillRows * rowWords), number);
      }
    }
  }

  /** Puts the rows from `from` to `end`, which are all different, in their places; `first` is the number of the first. */
  #refill(rows: Uint32Array, from: number, end: number, first: number): number {
    this.prefetch(rows, from, rowWords, (end - from) / rowWords);
    const slots = this.#slots;
    let number = first;
    for (let row = from; row < end; row += rowWords) {
      let at = this.#homeOf(rows[row]! | 0);
      while (slots[at] !== 0) {
        at++;
        if (at === slots.length) at = 0;
      }
      slots[at] = slotOf(rows[row + 1]! | 0, number >>> this.#groupBits);
      number++;
    }
    return number;
  }

  #provide(slots: number): void {
    this.#memory.grow(slots * slotBytes);
    this.#slots = new Int32Array(this.#memory.buffer, 0, slots);
    this.#scale = slots / 2 ** 32;
    this.#limit = Math.floor(slots * maxLoad);
    this.#groupBits = Math.max(0, Math.ceil(Math.log2((this.#limit + 1) / mostGroups)));
  }
}

function slotOf(low: number, group: number): number {
  return (low & 0xffff_0000) | (group + 1);
}

/** By what to grow when so many times as many are expected. */
function growthFor(ratio: number): number {
  if (!Number.isFinite(ratio)) return leastGrowth;
  return Math.max(leastGrowth, ratio > believed ? Math.sqrt(ratio) : ratio);
}
