/**
 * Writes a file that appears complete or not at all: readable for its owner only, under a temporary name in the same
 * folder, and renamed when all of it is on the disk. The temporary name has the machine and the process, so that the next
 * run can remove the files of a killed one: they may contain secrets.
 */
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  readdirSync,
} from 'node:fs';
import { resolve, basename, dirname, join } from 'node:path';
import type { Sink } from '../lib/sink.ts';
import { WriteBuffer, writeFully } from './write-buffer.ts';
import { outputProblem } from './file-problem.ts';
import { statIfThere } from './same-file.ts';
import { createHash, randomBytes } from 'node:crypto';
import { isRunning, nameThisProcess } from '../lib/this-process.ts';

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

  reserve(bytes: number): void {
    const file = this.#openFile();
    this.#attempt(() => {
      this.#buffer.flush();
      if (!this.#isRenamed) return;
      writeFully(file, new Uint8Array(bytes), this.bytes);
      ftruncateSync(file, this.bytes);
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

/** A folder may be shared between machines and containers, whose process ids overlap. */
const { host, namespace } = nameThisProcess();
const machine = createHash('sha256').update(`${host} ${namespace}`).digest('hex').slice(0, 8);

/** Names used by this process. */
const own = new Set<string>();

/** `importBody.json` is written as `.importBody.json.<machine>-<process>-<random>.tmp` next to it. */
export function temporaryName(path: string): string {
  const name = `.${basename(path)}.${machine}-${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  own.add(name);
  return join(dirname(path), name);
}

/** Removes temporary files of this path that an ended process of this machine has left behind. Never fails. */
export function removeLeftBehind(path: string): void {
  const folder = dirname(path);
  const before = `.${basename(path)}.${machine}-`;
  try {
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(before) || own.has(name)) continue;
      const [, writer] = /^(\d+)-[0-9a-f]{12}\.tmp$/.exec(name.slice(before.length)) ?? [];
      // A process of an earlier container may have had the same id as this one.
      const isLeft =
        writer !== undefined &&
        (Number(writer) === process.pid || !isRunning({ pid: Number(writer), started: '' }));
      if (isLeft) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // A folder that cannot be listed may still be writable.
  }
}
