/**
 * Stores bytes that come in any order of their groups and are read back group by group. Up to a limit they stay in
 * memory; then all are sorted by group and appended to one temporary file, so that one file is open however many groups
 * there are.
 */
import { closeSync, readSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { NumberList } from '../compact/number-list.ts';
import { outputProblem } from './output-problem.ts';
import { openUnlinkedFile } from './spill-file.ts';
import { writeFully } from './write-buffer.ts';

interface GroupedSpillOptions {
  /** Bytes that may stay in memory. */
  readonly memoryBytes?: number;
  /** The folder of the temporary file. */
  readonly folder?: string;
}

/** What is written of a group in one go: a piece of the memory or of the file. */
const pieceWords = 3;
const extentWords = 4;
/** Their places fit into 21 bits. */
const mostPieces = pieceWords * 2 ** 20;

export class GroupedSpill {
  readonly #folder: string;
  #arena: Uint8Array;
  #used = 0;
  /** The arena in the order of the groups, when it is full. */
  #sorted: Uint8Array | undefined;
  /** Of the arena: group, start, length. */
  #pieces = new Uint32Array(pieceWords * 1024);
  #pieceEnd = 0;
  /** Of the file: group, offset in units of 2^32 bytes, rest of the offset, length. */
  readonly #extents = new NumberList();
  /** Places of the extents by group, once they are read. */
  #places: number[][] | undefined;
  readonly #bytes: number[] = [];
  #file: number | undefined;
  #fileBytes = 0;

  constructor({ memoryBytes = 8 * 1024 * 1024, folder = tmpdir() }: GroupedSpillOptions = {}) {
    this.#arena = new Uint8Array(memoryBytes);
    this.#folder = folder;
  }

  write(group: number, bytes: Uint8Array): void {
    this.#bytes[group] = this.bytesOf(group) + bytes.length;
    for (let from = 0; from < bytes.length;) {
      if (this.#used === this.#arena.length || this.#pieceEnd === mostPieces) this.#spill();
      const part = bytes.subarray(from, from + this.#arena.length - this.#used);
      this.#arena.set(part, this.#used);
      this.#addPiece(group, part.length);
      this.#used += part.length;
      from += part.length;
    }
  }

  /** Bytes of the group so far. */
  bytesOf(group: number): number {
    return this.#bytes[group] ?? 0;
  }

  #addPiece(group: number, length: number): void {
    const at = this.#pieceEnd;
    if (at > 0 && this.#pieces[at - pieceWords] === group) {
      // It goes on where the last one ends.
      this.#pieces[at - 1]! += length;
      return;
    }
    if (at === this.#pieces.length) {
      const wider = new Uint32Array(2 * at);
      wider.set(this.#pieces);
      this.#pieces = wider;
    }
    this.#pieces[at] = group;
    this.#pieces[at + 1] = this.#used;
    this.#pieces[at + 2] = length;
    this.#pieceEnd += pieceWords;
  }

  /** In the order in which they were written. A block is valid until the next one is requested. */
  *read(group: number): Generator<Uint8Array> {
    if (this.#file === undefined) {
      yield* this.#readMemory(group);
      return;
    }
    this.#spill();
    this.#places ??= this.#groupExtents();
    for (const at of this.#places[group] ?? []) {
      const offset = this.#extents.get(at + 1)! * 2 ** 32 + this.#extents.get(at + 2)!;
      yield* this.#readFile(this.#file, offset, this.#extents.get(at + 3)!);
    }
  }

  *#readMemory(group: number): Generator<Uint8Array> {
    for (let at = 0; at < this.#pieceEnd; at += pieceWords) {
      const start = this.#pieces[at + 1]!;
      if (this.#pieces[at] === group) yield this.#arena.subarray(start, start + this.#pieces[at + 2]!);
    }
  }

  #groupExtents(): number[][] {
    const places: number[][] = [];
    for (let at = 0; at < this.#extents.length; at += extentWords) {
      const group = this.#extents.get(at)!;
      places[group] ??= [];
      places[group].push(at);
    }
    return places;
  }

  /** Frees the memory and the file. Harmless when called again. */
  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#arena = new Uint8Array(0);
    this.#sorted = undefined;
    this.#pieceEnd = 0;
    this.#used = 0;
  }

  /** Appends the arena to the file, sorted by group. */
  #spill(): void {
    if (this.#used === 0) return;
    const places = this.#sortedPieces();
    const pieces = this.#pieces;
    this.#sorted ??= new Uint8Array(this.#arena.length);
    const sorted = this.#sorted;
    let at = 0;
    for (let index = 0; index < places.length;) {
      const group = pieces[places[index]!]!;
      const start = at;
      for (; index < places.length && pieces[places[index]!] === group; index++) {
        const from = pieces[places[index]! + 1]!;
        const length = pieces[places[index]! + 2]!;
        sorted.set(this.#arena.subarray(from, from + length), at);
        at += length;
      }
      const offset = this.#fileBytes + start;
      this.#extents.push(group, Math.floor(offset / 2 ** 32), offset % 2 ** 32, at - start);
    }
    try {
      this.#file ??= openUnlinkedFile(this.#folder);
      writeFully(this.#file, sorted.subarray(0, this.#used), this.#fileBytes);
    } catch (error) {
      throw outputProblem(this.#folder, error);
    }
    this.#fileBytes += this.#used;
    this.#pieceEnd = 0;
    this.#used = 0;
  }

  /** Places of the pieces by group; those of one group stay in their order. */
  #sortedPieces(): Float64Array {
    // A group and a place fit into one number, which sorts without a function.
    const keys = new Float64Array(this.#pieceEnd / pieceWords);
    for (let at = 0; at < keys.length; at++) keys[at] = this.#pieces[at * pieceWords]! * 2 ** 21 + at;
    keys.sort();
    return keys.map((key) => (key % 2 ** 21) * pieceWords);
  }

  *#readFile(file: number, offset: number, length: number): Generator<Uint8Array> {
    // The arena is empty here, and as large as any piece.
    for (let done = 0; done < length;) {
      const read = readSync(file, this.#arena, 0, Math.min(length - done, this.#arena.length), offset + done);
      if (read === 0) throw new RangeError(`nothing was written at ${offset + done}`);
      done += read;
      yield this.#arena.subarray(0, read);
    }
  }
}
