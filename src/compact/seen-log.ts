/**
 * Claims in, each a hash of 64 bits and an ordinal, in their order; any of them out again. Small numbers of them stay
 * in memory, more go to a shelf, and where that cannot take them they stay in memory after all: 12 bytes each.
 */

/** Bytes at places: a file, say. */
export interface SpillFile {
  /** False when it cannot keep them. */
  write(bytes: Uint8Array, at: number): boolean;
  /** Fills `into` with what was written at `at` and behind. */
  read(into: Uint8Array, at: number): void;
  close(): void;
}

export interface SeenLogOptions {
  readonly openSpillFile?: () => SpillFile | undefined;
  /** What may stay in memory although it could go to the shelf. */
  readonly memoryBytes?: number;
}

/** The two words of the hash and the ordinal. */
export const rowWords = 3;
const wordBytes = 4;
/** A power of two, so that a group of rows (a smaller one) never lies in two blocks. */
const blockRows = 1 << 14;
const blockWords = blockRows * rowWords;
const blockBytes = blockWords * wordBytes;
const defaultMemoryBytes = 2 * 1024 * 1024;

export class SeenLog {
  length = 0;
  /** Full blocks; undefined for those on the shelf. */
  readonly #blocks: (Uint32Array | undefined)[] = [];
  /** The block that is being filled, and how far. */
  #last = new Uint32Array(blockWords);
  #used = 0;
  /** Rows that were read from the shelf latest, and the number of the first of them. */
  #read = new Uint32Array(0);
  #readFrom = -1;
  #shelf: SpillFile | undefined;
  readonly #openSpillFile: () => SpillFile | undefined;
  readonly #memoryBytes: number;

  constructor({ openSpillFile = () => undefined, memoryBytes = defaultMemoryBytes }: SeenLogOptions = {}) {
    this.#openSpillFile = openSpillFile;
    this.#memoryBytes = memoryBytes;
  }

  add(hi: number, lo: number, ordinal: number): void {
    if (this.#used === blockWords) this.#storeLast();
    const at = this.#used;
    this.#last[at] = hi;
    this.#last[at + 1] = lo;
    this.#last[at + 2] = ordinal;
    this.#used = at + rowWords;
    this.length++;
  }

  /**
   * The ordinal of the row with this hash (two signed words) among `count` rows of one block, from `first` on; or -1.
   */
  find(hi: number, lo: number, first: number, count: number): number {
    const rows = this.#rows(first, count);
    for (let at = 0; at < rows.length; at += rowWords) {
      if ((rows[at]! | 0) === hi && (rows[at + 1]! | 0) === lo) return rows[at + 2]!;
    }
    return -1;
  }

  /** All rows from the start, three words each, in parts that are valid until the next one is asked for. */
  *all(): Generator<Uint32Array> {
    for (let first = 0; first < this.length; first += blockRows) yield this.#rows(first, blockRows);
  }

  close(): void {
    this.#shelf?.close();
    this.#shelf = undefined;
  }

  #rows(first: number, count: number): Uint32Array {
    const number = Math.floor(first / blockRows);
    const from = (first % blockRows) * rowWords;
    const words = count * rowWords;
    if (number === this.#blocks.length) return this.#last.subarray(from, Math.min(from + words, this.#used));
    const block = this.#blocks[number];
    if (block !== undefined) return block.subarray(from, from + words);
    if (this.#readFrom !== first || this.#read.length !== words) {
      if (this.#shelf === undefined) throw new RangeError('the log of claims is closed');
      this.#readFrom = -1;
      if (this.#read.length !== words) this.#read = new Uint32Array(words);
      this.#shelf.read(bytesOf(this.#read), first * rowWords * wordBytes);
      this.#readFrom = first;
    }
    return this.#read;
  }

  #storeLast(): void {
    this.#used = 0;
    const at = this.#blocks.length * blockBytes;
    const mayStay = at + blockBytes <= this.#memoryBytes;
    if (!mayStay && this.#shelve(at)) {
      this.#blocks.push(undefined);
      return;
    }
    this.#blocks.push(this.#last);
    this.#last = new Uint32Array(blockWords);
  }

  #shelve(at: number): boolean {
    this.#shelf ??= this.#openSpillFile();
    return this.#shelf?.write(bytesOf(this.#last), at) ?? false;
  }
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
