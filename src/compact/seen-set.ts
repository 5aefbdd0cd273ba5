/**
 * A set of hashes that finds duplicates among hundreds of millions of records without keeping any text. It takes about
 * 5 bytes a hash in memory (a Map takes 164, and is full at 16.7 million), and 12 in a spill file.
 *
 * All 64 bits of each hash are compared. The chance that two different texts of a run count as equal is n^2 / 2^65: 1
 * in 92,000 for 20 million texts, 1 in 9 million for two million.
 */
import { SeenLog, type SeenLogOptions, rowWords } from './seen-log.ts';
import { createGrowableMemory, type GrowableMemory } from './growable-memory.ts';

interface SeenSetOptions extends SeenLogOptions {
  readonly createMemory?: () => GrowableMemory;
  /** The expected number of different hashes in the end; NaN when unknown. */
  readonly expect?: () => number;
}

const slotBytes = 4;
const minimumSlots = 4096;
/** The share of used slots when all expected hashes are there, and the share at which the table grows. */
const targetLoad = 0.85;
const maxLoad = 0.9;
/** The least factor by which the table grows: when the final size is unknown, or was estimated too low. */
const minimumGrowth = 1.4;
/** Larger estimates of the growth are not trusted yet: the table grows by their square root. */
const trustedGrowth = 64;
/** A slot has 16 bits for its group. Groups are counted from 1, because a free slot is zero. */
const maxGroups = 0xffff;

/**
 * Open addressing in slots of 4 bytes: 16 bits of the hash, and the group of log rows that has the rest. When the 16
 * bits match, the log is read to compare all bits: for every duplicate, and by chance for one in thousands of the
 * others. To grow, the table is filled again from the log, so that the old one is not needed for it.
 */
export class SeenSet {
  readonly #memory: GrowableMemory;
  readonly #log: SeenLog;
  readonly #expect: () => number;
  #slots = new Int32Array(0);
  /** Maps the first word of a hash to a slot. */
  #scale = 0;
  #limit = 0;
  /** A group has 2 to the power of this rows: as few as possible for the capacity of the table. */
  #groupBits = 0;

  constructor({
    createMemory = createGrowableMemory,
    expect = () => Number.NaN,
    ...log
  }: SeenSetOptions = {}) {
    this.#memory = createMemory();
    this.#log = new SeenLog(log);
    this.#expect = expect;
    this.#allocate(minimumSlots);
  }

  get size(): number {
    return this.#log.length;
  }

  /**
   * Adds a hash (two 32-bit words) with an ordinal from 0 to 2^32 - 2, by default the size before it. Returns -1 when
   * the hash is new, else the ordinal with which it was added first, and changes nothing.
   */
  add(hi: number, lo: number, ordinal = this.size): number {
    const slots = this.#slots;
    // Signed, because V8 keeps larger 32-bit numbers as objects.
    const high = hi | 0;
    const low = lo | 0;
    let at = this.#homeOf(high);
    for (let slot = slots[at]!; slot !== 0; slot = slots[at]!) {
      if ((slot ^ low) >>> 16 === 0) {
        const first = this.#ordinalIn(slot, high, low);
        if (first !== -1) return first;
      }
      at++;
      if (at === slots.length) at = 0;
    }
    slots[at] = slotOf(low, this.#log.length >>> this.#groupBits);
    this.#log.add(high, low, ordinal | 0);
    if (this.#log.length > this.#limit) this.#grow();
    return -1;
  }

  /** Frees the spill file; the set cannot be used any more. Harmless when called again. */
  close(): void {
    this.#log.close();
  }

  #homeOf(high: number): number {
    return ((high >>> 0) * this.#scale) | 0;
  }

  #ordinalIn(slot: number, high: number, low: number): number {
    const group = (slot & 0xffff) - 1;
    return this.#log.find(high, low, group << this.#groupBits, 1 << this.#groupBits);
  }

  #grow(): void {
    const { size } = this;
    this.#slots.fill(0);
    this.#allocate(Math.ceil((size * growthFor(this.#expect() / size)) / targetLoad));
    let number = 0;
    for (const rows of this.#log.all()) {
      for (let row = 0; row < rows.length; row += rowWords) {
        let at = this.#homeOf(rows[row]! | 0);
        while (this.#slots[at] !== 0) {
          at++;
          if (at === this.#slots.length) at = 0;
        }
        this.#slots[at] = slotOf(rows[row + 1]! | 0, number >>> this.#groupBits);
        number++;
      }
    }
  }

  #allocate(slots: number): void {
    this.#memory.grow(slots * slotBytes);
    this.#slots = new Int32Array(this.#memory.buffer, 0, slots);
    this.#scale = slots / 2 ** 32;
    this.#limit = Math.floor(slots * maxLoad);
    this.#groupBits = Math.max(0, Math.ceil(Math.log2((this.#limit + 1) / maxGroups)));
  }
}

function slotOf(low: number, group: number): number {
  return (low & 0xffff_0000) | (group + 1);
}

/** The factor to grow by when the expected size is `ratio` times the current one. */
function growthFor(ratio: number): number {
  if (!Number.isFinite(ratio)) return minimumGrowth;
  return Math.max(minimumGrowth, ratio > trustedGrowth ? Math.sqrt(ratio) : ratio);
}
