/** Keeps the rows of a joined table as texts: 34 bytes a row and key in memory, and the texts on disk from 2 MB on. */
import { KeyMaker, KeyTable, keyWords } from '../../compact/key-table.ts';
import type { SpillFile } from '../../lib/sink.ts';

export type OpenSpillFile = () => SpillFile | undefined;

const blockBytes = 1024 * 1024;
const bytesInMemory = 2 * blockBytes;

export class RowStore {
  readonly maker = new KeyMaker();
  /** Its entries are the rows, in the order in which they were added. */
  readonly keys: KeyTable;
  readonly #words: Uint32Array;
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

  /** Every row has so many keys. */
  constructor(openSpillFile: OpenSpillFile = () => undefined, columns = 1) {
    this.#openSpillFile = openSpillFile;
    this.keys = new KeyTable(columns);
    this.#words = new Uint32Array(columns * keyWords);
  }

  /** Without a key, which is empty, a row cannot be found by it. */
  add(text: string, ...keys: readonly string[]): void {
    const length = Buffer.byteLength(text);
    const last = this.#blocks.at(-1);
    if (last === undefined || this.#end + length > last.length) this.#begin(length);
    this.#blocks.at(-1)!.write(text, this.#end);
    this.#words.fill(0);
    for (let column = 0; column < keys.length; column++)
      if (keys[column] !== '') this.maker.ofText(keys[column]!, this.#words, column * keyWords);
    const entry = this.keys.add(this.#words, 0);
    if (3 * entry >= this.#places.length) {
      const places = new Uint32Array(this.#places.length * 2);
      places.set(this.#places);
      this.#places = places;
    }
    this.#places[3 * entry] = this.#blocks.length - 1;
    this.#places[3 * entry + 1] = this.#end;
    this.#places[3 * entry + 2] = length;
    this.#end += length;
  }

  /** Those with this first key, in the order of the table. */
  rowsOf(key: string): number[] {
    if (key === '') return [];
    this.maker.ofText(key, this.#words, 0);
    return this.keys.findAll(this.#words, 0).reverse();
  }

  /** The texts of the last of them, at most so many. */
  find(key: string, most: number): string[] {
    return this.rowsOf(key)
      .slice(-most)
      .map((row) => this.text(row));
  }

  text(row: number): string {
    const at = 3 * row;
    const [block, from, length] = [this.#places[at]!, this.#places[at + 1]!, this.#places[at + 2]!];
    const inMemory = this.#blocks[block];
    if (inMemory !== undefined) return inMemory.toString('utf8', from, from + length);
    const bytes = Buffer.allocUnsafe(length);
    this.#spillFile!.read(bytes, this.#starts[block]! + from);
    return bytes.toString('utf8');
  }

  close(): void {
    this.#spillFile?.close();
    this.#spillFile = undefined;
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
