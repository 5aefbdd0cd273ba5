/**
 * The entries of a seen set in the order they were added: a hash of 64 bits and an ordinal each, 12 bytes. The first
 * entries stay in memory, more go to a spill file, or to memory as well where that file cannot be written.
 */

/** Random access to bytes on disk. */
export interface SpillFile {
  /** False when they could not be written. */
  write(bytes: Uint8Array, at: number): boolean;
  /** Fills `into` with the bytes from `at` on. */
  read(into: Uint8Array, at: number): void;
  close(): void;
}

export interface SeenLogOptions {
  readonly openSpillFile?: () => SpillFile | undefined;
  /** Bytes that stay in memory even with a spill file. */
  readonly memoryBytes?: number;
}

/** The two words of the hash and the ordinal. */
export const rowWords = 3;
const wordBytes = 4;
/** A power of two, so that a group of rows, which is a smaller power of two, is never in two blocks. */
const blockRows = 1 << 14;
const blockWords = blockRows * rowWords;
const blockBytes = blockWords * wordBytes;
const defaultMemoryBytes = 2 * 1024 * 1024;

export class SeenLog {
  length = 0;
  /** Full blocks; undefined for those in the spill file. */
  readonly #blocks: (Uint32Array | undefined)[] = [];
  /** The block that is being filled, and the words used in it. */
  #last = new Uint32Array(blockWords);
  #used = 0;
  /** The latest rows read from the spill file, and the number of the first of them. */
  #read = new Uint32Array(0);
  #readFrom = -1;
  #spillFile: SpillFile | undefined;
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

  /** All rows from the start, three words each, in parts that are valid until the next part is requested. */
  *all(): Generator<Uint32Array> {
    for (let first = 0; first < this.length; first += blockRows) yield this.#rows(first, blockRows);
  }

  close(): void {
    this.#spillFile?.close();
    this.#spillFile = undefined;
  }

  #rows(first: number, count: number): Uint32Array {
    const number = Math.floor(first / blockRows);
    const from = (first % blockRows) * rowWords;
    const words = count * rowWords;
    if (number === this.#blocks.length) return this.#last.subarray(from, Math.min(from + words, this.#used));
    const block = this.#blocks[number];
    if (block !== undefined) return block.subarray(from, from + words);
    if (this.#readFrom !== first || this.#read.length !== words) {
      if (this.#spillFile === undefined) throw new RangeError('the seen set is closed');
      this.#readFrom = -1;
      if (this.#read.length !== words) this.#read = new Uint32Array(words);
      this.#spillFile.read(bytesOf(this.#read), first * rowWords * wordBytes);
      this.#readFrom = first;
    }
    return this.#read;
  }

  #storeLast(): void {
    this.#used = 0;
    const at = this.#blocks.length * blockBytes;
    const mayStay = at + blockBytes <= this.#memoryBytes;
    if (!mayStay && this.#spill(at)) {
      this.#blocks.push(undefined);
      return;
    }
    this.#blocks.push(this.#last);
    this.#last = new Uint32Array(blockWords);
  }

  #spill(at: number): boolean {
    this.#spillFile ??= this.#openSpillFile();
    return this.#spillFile?.write(bytesOf(this.#last), at) ?? false;
  }
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
