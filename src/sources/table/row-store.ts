/** Keeps the rows of a joined table as texts: 34 bytes a row in memory, and the texts on disk from 2 MB on. */
import { KeyMaker, KeyTable, keyWords } from '../../compact/key-table.ts';
import type { SpillFile } from '../../compact/seen-log.ts';

export type OpenSpillFile = () => SpillFile | undefined;

const blockBytes = 1024 * 1024;
const bytesInMemory = 2 * blockBytes;

export class RowStore {
  readonly #maker = new KeyMaker();
  readonly #table = new KeyTable();
  readonly #words = new Uint32Array(keyWords);
  /** Undefined for those in the spill file, which holds every block at its place. */
  readonly #blocks: (Buffer | undefined)[] = [];
  /** Full blocks before the last one take so many bytes. */
  #before = 0;
  /** By block: where it begins. */
  readonly #starts: number[] = [];
  /** By entry: block, offset and length. */
  #places = new Uint32Array(3 * 1024);
  #end = 0;
  readonly #openSpillFile: OpenSpillFile;
  #spillFile: SpillFile | undefined;

  constructor(openSpillFile: OpenSpillFile = () => undefined) {
    this.#openSpillFile = openSpillFile;
  }

  add(key: string, text: string): void {
    const length = Buffer.byteLength(text);
    const last = this.#blocks.at(-1);
    if (last === undefined || this.#end + length > last.length) this.#begin(length);
    this.#blocks.at(-1)!.write(text, this.#end);
    this.#maker.ofText('', key, this.#words, 0);
    const entry = this.#table.add(this.#words, 0);
    if (3 * entry >= this.#places.length) {
      const places = new Uint32Array(this.#places.length * 2);
      places.set(this.#places);
      this.#places = places;
    }
    this.#places.set([this.#blocks.length - 1, this.#end, length], 3 * entry);
    this.#end += length;
  }

  /** At most so many, in the order of the table. */
  find(key: string, most: number): string[] {
    if (key === '') return [];
    this.#maker.ofText('', key, this.#words, 0);
    const found: string[] = [];
    for (
      let entry = this.#table.find(this.#words, 0);
      entry !== -1 && found.length < most;
      entry = this.#table.findBefore(entry, this.#words, 0)
    ) {
      const [block = 0, from = 0, length = 0] = this.#places.subarray(3 * entry, 3 * entry + 3);
      found.push(this.#read(block, from, length));
    }
    return found.reverse();
  }

  close(): void {
    this.#spillFile?.close();
    this.#spillFile = undefined;
  }

  #read(block: number, from: number, length: number): string {
    const inMemory = this.#blocks[block];
    if (inMemory !== undefined) return inMemory.toString('utf8', from, from + length);
    const bytes = Buffer.allocUnsafe(length);
    this.#spillFile!.read(bytes, this.#starts[block]! + from);
    return bytes.toString('utf8');
  }

  /** A new block; the last one goes to disk where there are enough in memory. */
  #begin(length: number): void {
    const last = this.#blocks.at(-1);
    if (last !== undefined) {
      const start = this.#starts.at(-1)!;
      this.#before = start + last.length;
      if (this.#before > bytesInMemory) {
        this.#spillFile ??= this.#openSpillFile();
        if (this.#spillFile?.write(last, start) === true) this.#blocks[this.#blocks.length - 1] = undefined;
      }
    }
    this.#starts.push(this.#before);
    this.#blocks.push(Buffer.allocUnsafeSlow(Math.max(blockBytes, length)));
    this.#end = 0;
  }
}
