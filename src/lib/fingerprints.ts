/**
 * Hashes in, the ordinal of the first holder of each out: who came twice, over tens of millions of records, in 12 to
 * 13 bytes a record and without any text (a Map takes 164 bytes a record and ends at 16.7 million of them).
 *
 * 60 bits of each hash are compared. The chance that any two different texts of a run are taken for the same one is
 * n^2 / 2^61: 1 in 23,000 for 10 million records, 1 in 2.3 million for one million.
 */
import { createGrowingMemory, type GrowingMemory } from './growing-memory.ts';

export interface Fingerprints {
  readonly size: number;
  /**
   * The ordinal of the first holder of this hash (two 32-bit words), or -1 when it is new: then `ordinal` (from 0 to
   * 2^32 - 2; when absent, how many were new before it) becomes its holder.
   */
  claim(hi: number, lo: number, ordinal?: number): number;
  /**
   * Looks at where these hashes will be claimed, `count` of them, the first at `hashes[at]`, each `step` words behind the
   * one before. Changes nothing: it is there so that the memory of many is waited for at once.
   */
  foresee(hashes: Uint32Array, at: number, step: number, count: number): number;
}

export function createFingerprints(createMemory: () => GrowingMemory = createGrowingMemory): Fingerprints {
  return new SortedTables(createMemory);
}

/** The first bits of a hash choose its table; so they need not be kept. */
const tableBits = 12;
const tables = 1 << tableBits;
const maxLoad = 0.87;
const smallest = 8;
/** Small tables double; larger ones, which count, grow by a fourteenth. */
const doubled = 256;
const growth = 1.07;
const entryBytes = 8;
const restBytes = 2;

/**
 * Ordered linear probing in tables of one size, one behind the other: entries stand in the order of their rank (the
 * 32 bits behind those of the table), each at its home or as near behind it as there was room. So a search ends at
 * the first larger rank, and growing is one pass from the right to make room and one from the left to spread out,
 * in place.
 */
class SortedTables implements Fingerprints {
  size = 0;
  /** Homes and places of each table; places behind the last home are there because nothing wraps round. */
  #homes = smallest;
  #places = placesFor(smallest);
  readonly #entryMemory: GrowingMemory;
  readonly #restMemory: GrowingMemory;
  /** Rank and holder by turns; a holder of zero marks a free place. The last place of a table is always free. */
  #entries: Int32Array;
  /** Of each entry 16 bits more of the hash. */
  #rests: Uint16Array;

  constructor(createMemory: () => GrowingMemory) {
    this.#entryMemory = createMemory();
    this.#restMemory = createMemory();
    [this.#entries, this.#rests] = this.#provide(tables * this.#places);
  }

  claim(hi: number, lo: number, ordinal = this.size): number {
    const table = hi >>> (32 - tableBits);
    // Shifted so that signed numbers have the order of the bits.
    const rank = ((hi << tableBits) | (lo >>> (32 - tableBits))) ^ 0x8000_0000;
    const rest = (lo >>> 4) & 0xffff;
    const entries = this.#entries;
    let at = table * this.#places + homeOf(rank, this.#homes);
    while (entries[2 * at + 1] !== 0 && entries[2 * at]! <= rank) {
      if (entries[2 * at] === rank && this.#rests[at] === rest) return (entries[2 * at + 1]! >>> 0) - 1;
      at++;
    }
    if (!this.#makeRoom(table, at)) {
      this.#grow();
      return this.claim(hi, lo, ordinal);
    }
    entries[2 * at] = rank;
    entries[2 * at + 1] = (ordinal + 1) | 0;
    this.#rests[at] = rest;
    this.size++;
    if (this.size > tables * this.#homes * maxLoad) this.#grow();
    return -1;
  }

  foresee(hashes: Uint32Array, at: number, step: number, count: number): number {
    const entries = this.#entries;
    const homes = this.#homes / 0x1_0000_0000;
    let seen = 0;
    for (let n = 0; n < count; n++) {
      const hi = hashes[at + n * step]!;
      const rank = ((hi << tableBits) | (hashes[at + n * step + 1]! >>> (32 - tableBits))) >>> 0;
      seen ^= entries[2 * ((hi >>> (32 - tableBits)) * this.#places + ((rank * homes) | 0))]!;
    }
    return seen;
  }

  /** Moves what stands from `at` to the next free place by one; false when the table has no room for that. */
  #makeRoom(table: number, at: number): boolean {
    const entries = this.#entries;
    const rests = this.#rests;
    let free = at;
    while (entries[2 * free + 1] !== 0) free++;
    if (free === (table + 1) * this.#places - 1) return false;
    for (; free > at; free--) {
      entries[2 * free + 1] = entries[2 * free - 1]!;
      entries[2 * free] = entries[2 * free - 2]!;
      rests[free] = rests[free - 1]!;
    }
    return true;
  }

  #grow(): void {
    const before = this.#places;
    this.#homes = this.#homes < doubled ? 2 * this.#homes : Math.ceil(this.#homes * growth);
    this.#places = placesFor(this.#homes);
    [this.#entries, this.#rests] = this.#provide(tables * this.#places);
    // From the last table on, because each moves to the right, over the old places of those behind it.
    for (let table = tables - 1; table >= 0; table--) {
      const first = this.#gatherRight(table * before, before, (table + 1) * this.#places);
      this.#spread(first, table * this.#places, (table + 1) * this.#places);
    }
  }

  /** Moves the entries of the `count` places from `from` on close together before `end`; returns the first one. */
  #gatherRight(from: number, count: number, end: number): number {
    const entries = this.#entries;
    const rests = this.#rests;
    let to = end;
    for (let at = from + count - 1; at >= from; at--) {
      const holder = entries[2 * at + 1]!;
      if (holder === 0) continue;
      to--;
      entries[2 * to] = entries[2 * at]!;
      rests[to] = rests[at]!;
      entries[2 * at + 1] = 0;
      entries[2 * to + 1] = holder;
    }
    return to;
  }

  /**
   * Moves the entries between `first` and `end` to their homes from `start` on, or as near behind them as there is
   * room. None comes to stand behind where it was: those after it would have no room before the end.
   */
  #spread(first: number, start: number, end: number): void {
    const entries = this.#entries;
    const rests = this.#rests;
    let next = start;
    for (let at = first; at < end; at++) {
      const rank = entries[2 * at]!;
      const holder = entries[2 * at + 1]!;
      const home = start + homeOf(rank, this.#homes);
      const place = home > next ? home : next;
      entries[2 * at + 1] = 0;
      entries[2 * place] = rank;
      entries[2 * place + 1] = holder;
      rests[place] = rests[at]!;
      next = place + 1;
    }
  }

  #provide(places: number): [Int32Array, Uint16Array] {
    this.#entryMemory.grow(places * entryBytes);
    this.#restMemory.grow(places * restBytes);
    return [
      new Int32Array(this.#entryMemory.buffer, 0, 2 * places),
      new Uint16Array(this.#restMemory.buffer, 0, places),
    ];
  }
}

function homeOf(rank: number, homes: number): number {
  return ((rank + 0x8000_0000) * (homes / 0x1_0000_0000)) | 0;
}

/** Growing never pushes an entry further behind its home than it was: so the overhang does not shrink. */
function placesFor(homes: number): number {
  return homes + 16 + Math.floor(homes / 48);
}
