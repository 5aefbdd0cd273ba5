/**
 * A path in, a file out that appears whole or not at all: written for its owner only, under a temporary name in the
 * same folder, and renamed when everything is on the disk.
 */
import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import type { Input } from '../lib/input.ts';
import type { Sink } from '../lib/sink.ts';
import { WriteBuffer, writeFully } from './write-buffer.ts';
import { outputProblem } from './output-problem.ts';
import { inputAt } from './same-file.ts';
import { removeLeftBehind, temporaryName } from './temporary.ts';
import { WriteBack } from './write-back.ts';

export interface FileSinkOptions {
  /** Where relative paths begin. */
  readonly cwd?: string;
  /** What is being read: none of these may be replaced. */
  readonly inputs?: readonly Input[];
}

/** A file never makes the writer wait. */
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

/** Throws `UsageError` when the path is one of the inputs, `OutputError` when nothing can be written there. */
export function createFileSink(name: string, options: FileSinkOptions = {}): FileSink {
  const path = linkTarget(resolve(options.cwd ?? '.', name));
  const input = inputAt(path, options.inputs ?? []);
  if (input !== undefined) {
    throw new UsageError(`${name} is the same file as the input ${input.name}`, {
      hint: 'Choose another path for the output.',
    });
  }
  return new RenamedFile(name, path);
}

class RenamedFile implements FileSink {
  readonly name: string;
  bytes = 0;
  readonly #path: string;
  /** As every file is; devices and pipes are written themselves. */
  readonly #isRenamed: boolean;
  /** Where the bytes go until they are complete. */
  readonly #writePath: string;
  #file: number | undefined;
  /** Committed or discarded. */
  #finished = false;
  readonly #gather: WriteBuffer;
  readonly #writeBack: WriteBack;

  constructor(name: string, path: string) {
    this.name = name;
    this.#path = path;
    this.#isRenamed = !isSpecial(path);
    this.#writePath = this.#isRenamed ? temporaryName(path) : path;
    const file = this.#attempt(() => this.#open());
    this.#file = file;
    this.#writeBack = new WriteBack(file);
    this.#gather = new WriteBuffer((block) => {
      writeFully(file, block);
      if (this.#isRenamed) this.#writeBack.wrote(block.length);
    });
    unfinished.add(this);
  }

  write(chunk: string | Uint8Array): void {
    this.#openFile();
    this.#attempt(() => {
      this.bytes += this.#gather.add(chunk);
    });
  }

  async commit(): Promise<void> {
    this.#openFile();
    this.#attempt(() => this.#gather.flush());
    await this.#writeBack.finish().catch((error: unknown) => this.#fail(error));
    // It may have been discarded meanwhile.
    const file = this.#openFile();
    this.#attempt(() => {
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

  /** A sync that is under way does no harm to a file that is closed. */
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

/** Devices, pipes and folders: nothing of the kind can be replaced by renaming. */
function isSpecial(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile();
}

/** A link stays a link: the file it leads to is replaced. */
function linkTarget(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
