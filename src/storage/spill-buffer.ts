/**
 * Stores bytes that are read back once, in order, for outputs that have to wait until the run ends. Small amounts stay
 * in memory, more goes to a temporary file.
 */
import { closeSync, readSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { outputProblem } from './output-problem.ts';
import { openUnlinkedFile } from './spill-file.ts';
import { WriteBuffer, writeFully } from './write-buffer.ts';

export interface SpillBufferOptions {
  /** Bytes that may stay in memory. */
  readonly memoryBytes?: number;
  /** The folder of the temporary file. */
  readonly folder?: string;
}

export interface SpillBuffer {
  /** Bytes written so far. */
  readonly bytes: number;
  write(chunk: string | Uint8Array): void;
  /** All bytes from the start; a block is valid until the next one is requested. Closes the buffer at the end. */
  read(): Iterable<Uint8Array>;
  /** Frees the memory and the file. Harmless when called again. */
  close(): void;
}

const defaultMemoryBytes = 4 * 1024 * 1024;
const readSize = 256 * 1024;

export function createSpillBuffer(options: SpillBufferOptions = {}): SpillBuffer {
  return new FileBackedBuffer(options.memoryBytes ?? defaultMemoryBytes, options.folder ?? tmpdir());
}

class FileBackedBuffer implements SpillBuffer {
  bytes = 0;
  readonly #memoryBytes: number;
  readonly #folder: string;
  #blocks: Uint8Array[] = [];
  #inMemory = 0;
  #file: number | undefined;
  readonly #buffer = new WriteBuffer((block) => this.#store(block));

  constructor(memoryBytes: number, folder: string) {
    this.#memoryBytes = memoryBytes;
    this.#folder = folder;
  }

  write(chunk: string | Uint8Array): void {
    this.bytes += this.#buffer.add(chunk);
  }

  *read(): Generator<Uint8Array> {
    try {
      this.#buffer.flush();
      yield* this.#blocks;
      if (this.#file !== undefined) yield* this.#readFile(this.#file);
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#blocks = [];
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #store(block: Uint8Array): void {
    this.#inMemory += block.length;
    if (this.#file === undefined && this.#inMemory <= this.#memoryBytes) {
      this.#blocks.push(new Uint8Array(block));
      return;
    }
    try {
      this.#file ??= openUnlinkedFile(this.#folder);
      writeFully(this.#file, block);
    } catch (error) {
      throw outputProblem(this.#folder, error);
    }
  }

  *#readFile(file: number): Generator<Uint8Array> {
    const block = Buffer.allocUnsafeSlow(readSize);
    let at = 0;
    for (;;) {
      const length = readSync(file, block, 0, block.length, at);
      if (length === 0) return;
      at += length;
      yield block.subarray(0, length);
    }
  }
}
