/** Keeps pieces of text or bytes, by number from 0: 12 bytes each in memory, and what they hold on disk from a limit on. */
import type { SpillFile } from '../lib/sink.ts';
import { NumberList } from './columns.ts';

/** Undefined where there is no room on disk: then all stays in memory. */
export type OpenSpillFile = () => SpillFile | undefined;

export class PieceStore {
  readonly #openSpillFile: OpenSpillFile;
  readonly #memoryBytes: number;
  /** Undefined for those in the spill file, which holds every block at its place. */
  readonly #blocks: (Buffer | undefined)[] = [];
  /** By block: where it begins. */
  readonly #starts: number[] = [];
  /** By piece: block, offset and length. */
  readonly #places = new NumberList();
  /** Of the pieces in the last block. */
  #end = 0;
  #spillFile: SpillFile | undefined;

  constructor(openSpillFile: OpenSpillFile, memoryBytes = 2 * 1024 * 1024) {
    this.#openSpillFile = openSpillFile;
    this.#memoryBytes = memoryBytes;
  }

  /** Returns its number. */
  add(piece: string | Uint8Array): number {
    const length = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
    const last = this.#blocks.at(-1);
    if (last === undefined || this.#end + length > last.length) this.#begin(length);
    const block = this.#blocks.at(-1)!;
    if (typeof piece === 'string') block.write(piece, this.#end);
    else block.set(piece, this.#end);
    const place = this.#places.push(this.#blocks.length - 1, this.#end, length);
    this.#end += length;
    return place / 3;
  }

  get(number: number): Buffer {
    const place = 3 * number;
    const block = this.#places.get(place)!;
    const from = this.#places.get(place + 1)!;
    const length = this.#places.get(place + 2)!;
    const inMemory = this.#blocks[block];
    if (inMemory !== undefined) return inMemory.subarray(from, from + length);
    const bytes = Buffer.allocUnsafe(length);
    this.#spillFile!.read(bytes, this.#starts[block]! + from);
    return bytes;
  }

  close(): void {
    this.#spillFile?.close();
    this.#spillFile = undefined;
  }

  /** A new block; the last one goes to disk where there are enough in memory. */
  #begin(length: number): void {
    const last = this.#blocks.at(-1);
    const before = this.#starts.at(-1) ?? 0;
    const start = before + (last?.length ?? 0);
    if (last !== undefined && start > this.#memoryBytes) {
      this.#spillFile ??= this.#openSpillFile();
      if (this.#spillFile?.write(last, before) === true) this.#blocks[this.#blocks.length - 1] = undefined;
    }
    this.#starts.push(start);
    this.#blocks.push(Buffer.allocUnsafeSlow(Math.max(Math.ceil(this.#memoryBytes / 8), length)));
    this.#end = 0;
  }
}
