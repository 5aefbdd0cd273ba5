/**
 * Writes a file that appears complete or not at all: readable for its owner only, under a temporary name in the same
 * folder, and renamed when all of it is on the disk.
 */
import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Sink } from '../lib/sink.ts';
import { WriteBuffer, writeFully } from './write-buffer.ts';
import { outputProblem } from './output-problem.ts';
import { statIfThere } from './same-file.ts';
import { removeLeftBehind, temporaryName } from './temporary.ts';

/** Writing to a file never waits. */
export interface FileSink extends Sink {
  write(chunk: string | Uint8Array): void;
}

/** Outputs that are being written. */
const unfinished = new Set<Sink>();

/**
 * Removes every output that was begun and not committed, when a run is stopped. Synchronous, so that it may run while
 * the process ends.
 */
export function discardUnfinished(): void {
  for (const output of unfinished) output.discard();
  unfinished.clear();
}

/** Throws `OutputError` when nothing can be written there. */
export function createFileSink(name: string, { cwd = '.' }: { readonly cwd?: string } = {}): FileSink {
  return new RenamedFile(name, linkTarget(resolve(cwd, name)));
}

class RenamedFile implements FileSink {
  readonly name: string;
  bytes = 0;
  readonly #path: string;
  /** False for devices and pipes, which are written directly. */
  readonly #isRenamed: boolean;
  /** The path that is written until the file is complete. */
  readonly #writePath: string;
  #file: number | undefined;
  /** Committed or discarded. */
  #finished = false;
  readonly #buffer: WriteBuffer;

  constructor(name: string, path: string) {
    this.name = name;
    this.#path = path;
    this.#isRenamed = !isSpecial(path);
    this.#writePath = this.#isRenamed ? temporaryName(path) : path;
    const file = this.#attempt(() => this.#open());
    this.#file = file;
    this.#buffer = new WriteBuffer((block) => writeFully(file, block));
    unfinished.add(this);
  }

  write(chunk: string | Uint8Array): void {
    this.#openFile();
    this.#attempt(() => {
      this.bytes += this.#buffer.add(chunk);
    });
  }

  async commit(): Promise<void> {
    const file = this.#openFile();
    this.#attempt(() => {
      this.#buffer.flush();
      if (this.#isRenamed) fsyncSync(file);
      this.#close();
      if (this.#isRenamed) renameSync(this.#writePath, this.#path);
    });
    this.#finished = true;
    unfinished.delete(this);
  }

  discard(): void {
    if (this.#finished) return;
    this.#finished = true;
    unfinished.delete(this);
    this.#close();
    if (this.#isRenamed) rmSync(this.#writePath, { force: true });
  }

  #openFile(): number {
    if (this.#file === undefined) throw new Error(`${this.name} is closed`);
    return this.#file;
  }

  #close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }

  #open(): number {
    if (!this.#isRenamed) return openSync(this.#path, 'w');
    removeLeftBehind(this.#path);
    return openSync(this.#writePath, 'wx', 0o600);
  }

  #attempt<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): never {
    throw outputProblem(this.name, error);
  }
}

/** Devices, pipes and folders cannot be replaced by renaming. */
function isSpecial(path: string): boolean {
  const found = statIfThere(path);
  return found !== undefined && !found.isFile();
}

/** A symbolic link is kept, and the file that it points to is replaced. */
function linkTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
