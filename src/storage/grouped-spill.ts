/**
 * Stores bytes that come in any order of their groups and are read back group by group. Up to a limit they stay in
 * memory; then all are appended, group by group, to one temporary file, so that one file is open however many groups
 * there are.
 */
import { closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { outputProblem } from './output-problem.ts';
import { openUnlinkedFile, readFully } from './spill-file.ts';
import { WriteBuffer, writeFully } from './write-buffer.ts';

interface GroupedSpillOptions {
  /** Bytes that may stay in memory. */
  readonly memoryBytes?: number;
  /** The folder of the temporary file. */
  readonly folder?: string;
}

interface Group {
  bytes: number;
  /** What is in memory. */
  pieces: Uint8Array[];
  /** Where the rest is in the file. */
  readonly extents: (readonly [start: number, length: number])[];
}

const readBytes = 1024 * 1024;

export class GroupedSpill {
  readonly #memoryBytes: number;
  readonly #folder: string;
  readonly #groups = new Map<number, Group>();
  #inMemory = 0;
  #file: number | undefined;
  #fileBytes = 0;

  constructor({ memoryBytes = 8 * 1024 * 1024, folder = tmpdir() }: GroupedSpillOptions = {}) {
    this.#memoryBytes = memoryBytes;
    this.#folder = folder;
  }

  write(number: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const group = this.#groups.get(number) ?? { bytes: 0, pieces: [], extents: [] };
    this.#groups.set(number, group);
    group.bytes += bytes.length;
    group.pieces.push(Buffer.from(bytes));
    this.#inMemory += bytes.length;
    if (this.#inMemory > this.#memoryBytes) this.#spill();
  }

  /** Bytes of the group so far. */
  bytesOf(number: number): number {
    return this.#groups.get(number)?.bytes ?? 0;
  }

  *read(number: number): Generator<Uint8Array> {
    const { pieces, extents } = this.#groups.get(number) ?? { pieces: [], extents: [] };
    for (const [start, length] of extents) yield* this.#readFile(start, length);
    yield* pieces;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#groups.clear();
  }

  #spill(): void {
    try {
      const file = (this.#file ??= openUnlinkedFile(this.#folder));
      const buffer = new WriteBuffer((block) => {
        writeFully(file, block, this.#fileBytes);
        this.#fileBytes += block.length;
      });
      let end = this.#fileBytes;
      for (const group of this.#groups.values()) {
        if (group.pieces.length === 0) continue;
        const start = end;
        for (const piece of group.pieces) end += buffer.add(piece);
        group.extents.push([start, end - start]);
        group.pieces = [];
      }
      buffer.flush();
    } catch (error) {
      throw outputProblem(this.#folder, error);
    }
    this.#inMemory = 0;
  }

  *#readFile(start: number, length: number): Generator<Uint8Array> {
    for (let done = 0; done < length; done += readBytes) {
      const block = Buffer.allocUnsafe(Math.min(length - done, readBytes));
      readFully(this.#file!, block, start + done);
      yield block;
    }
  }
}
