/**
 * Writes a file that appears complete or not at all. Only its owner can read it. It is written under a temporary name in the same
 * folder and renamed when all of it is on disk. The temporary name has the machine and the process, so that the next run can
 * remove the files of a killed one: they may contain secrets. Of the outputs that the user names, none may be a file that another
 * output or the run itself uses.
 */
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  readdirSync,
  lstatSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { canonicalPath } from '../lib/canonical-path.ts';
import type { Sink } from '../lib/sink.ts';
import { createWriteBuffer, writeFully } from './write-buffer.ts';
import { attemptsAt } from './file-problem.ts';
import { statIfThere, inputAt } from './same-file.ts';
import { createHash, randomBytes } from 'node:crypto';
import { isRunning, nameThisProcess } from '../lib/this-process.ts';
import type { Writable } from 'node:stream';
import { UsageError } from '../errors.ts';
import type { Input } from '../lib/input.ts';
import { createStreamSink } from './stream-sink.ts';

/** Writing to a file never waits. */
interface FileSink extends Sink {
  write(chunk: string | Uint8Array): void;
}

const unfinished = new Set<Sink>();

/**
 * Removes every output that was begun and not committed, when a run is stopped. It is synchronous, so that it can run while the
 * process ends.
 */
export function discardUnfinished() {
  for (const output of unfinished) output.discard();
  unfinished.clear();
}

/** Throws `OutputError` if nothing can be written there. */
export function createFileSink(name: string, cwd?: string) {
  // A symbolic link is kept, and the file that it points to is replaced.
  const path = canonicalPath(name, cwd);
  /** False for devices and pipes, which are written directly. */
  const isRenamed = !isSpecial(path);
  /** Path that is written until the file is complete. */
  const writePath = isRenamed ? temporaryName(path) : path;
  const attempt = attemptsAt(name);
  const opened = attempt(() => {
    if (!isRenamed) return openSync(path, 'w');
    removeLeftBehind(path);
    return openSync(writePath, 'wx', 0o600);
  });
  const buffer = createWriteBuffer((block) => writeFully(opened, block));
  let bytes = 0;
  let isOpen = true;

  /** Throws if the output was committed or discarded. */
  const attemptOpen = (step: () => void) => {
    if (!isOpen) throw new Error(`${name} is closed`);
    attempt(step);
  };
  const close = () => {
    isOpen = false;
    closeSync(opened);
  };

  const sink: FileSink = {
    name,
    get bytes() {
      return bytes;
    },
    write: (chunk) =>
      attemptOpen(() => {
        bytes += buffer.add(chunk);
      }),
    reserve: (more) =>
      attemptOpen(() => {
        buffer.flush();
        if (!isRenamed) return;
        writeFully(opened, new Uint8Array(more), bytes);
        ftruncateSync(opened, bytes);
      }),
    async commit() {
      attemptOpen(() => {
        buffer.flush();
        if (isRenamed) fsyncSync(opened);
        close();
        if (isRenamed) renameSync(writePath, path);
      });
      unfinished.delete(sink);
    },
    discard() {
      if (!unfinished.delete(sink)) return;
      if (isOpen) close();
      if (isRenamed) rmSync(writePath, { force: true });
    },
  };
  unfinished.add(sink);
  return sink;
}

/** Reports whether a path is a device, pipe or folder, which cannot be replaced by renaming. */
function isSpecial(path: string) {
  const found = statIfThere(path);
  return found !== undefined && !found.isFile();
}

/** A folder may be shared between machines and containers, whose process ids overlap. */
const { host, namespace } = nameThisProcess();
const machine = createHash('sha256').update(`${host} ${namespace}`).digest('hex').slice(0, 8);

/** Temporary names that this process uses. */
const own = new Set<string>();

/** Returns the temporary name of `importBody.json`: `.importBody.json.<machine>-<process>-<random>.tmp` in the same folder. */
export function temporaryName(path: string) {
  const name = `.${basename(path)}.${machine}-${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  own.add(name);
  return join(dirname(path), name);
}

/** Removes temporary files of this path that ended processes of this machine have left behind. Never fails. */
export function removeLeftBehind(path: string) {
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

export interface NamedFile {
  /** Noun with its article: `the journal`. */
  readonly what: string;
  /** Undefined or `-` if there is no such file. */
  readonly path: string | undefined;
}

interface OutputContext {
  /** Folder of relative paths. */
  readonly cwd?: string;
  readonly stdout?: Writable;
  /** Files that the run uses, such as keys and tokens. */
  readonly inUse?: readonly NamedFile[];
}

/** Renames the file of a finished run: `x.journal` becomes `x.journal.1`. Returns the new path. */
export function keepPrevious(path: string) {
  for (let number = 1; ; number++) {
    const kept = `${path}.${number}`;
    if (lstatSync(kept, { throwIfNoEntry: false }) !== undefined) continue;
    renameSync(path, kept);
    return kept;
  }
}

export type Outputs = ReturnType<typeof createOutputs>;

/** Opens the files that a run writes. None of them may replace another file that the run uses. */
export function createOutputs({ cwd, stdout, inUse: used = [] }: OutputContext) {
  const inUse = [...used];
  const inputs: Input[] = [];
  const opened = new Map<string, Sink>();
  const refuse = (name: string) => {
    const input = inputAt(resolve(cwd ?? '.', name), inputs);
    if (input !== undefined) throw sameFile(name, `the input ${input.name}`);
    const file = fileAt(name, cwd);
    const other = inUse.find(({ path = '-' }) => path !== '-' && fileAt(path, cwd) === file);
    if (other !== undefined) throw sameFile(name, other.what);
  };
  const openOne = (name: string): Sink => {
    if (name !== '-') return createFileSink(name, cwd);
    if (stdout === undefined) throw new UsageError('standard output cannot be written here');
    return createStreamSink(stdout);
  };
  const open = (name: string): Sink => {
    if (name === '' || name.endsWith('/'))
      throw new UsageError(`the output '${name}' names no file`, 'Name a file.');
    const path = name === '-' ? name : fileAt(name, cwd);
    if (opened.has(path) && !isDevice(path)) {
      const what = name === '-' ? 'standard output' : name;
      throw new UsageError(`${what} would take two outputs`, 'Give each its own path.');
    }
    if (name !== '-') refuse(name);
    const sink = openOne(name);
    opened.set(path, sink);
    return sink;
  };
  return {
    /** Adds inputs that may not be replaced. */
    reads: (more: readonly Input[]) => void inputs.push(...more),
    /** Adds another file that may not be replaced. */
    keep: (file: NamedFile) => void inUse.push(file),
    /** Adds a file that the run writes itself, such as its journal. Throws `UsageError` if the file is already used. */
    claim(what: string, path: string | undefined) {
      if (path === undefined) return;
      refuse(path);
      inUse.push({ what, path });
    },
    /** Opens standard output for `-`, otherwise a file. Throws `UsageError` if it is already used. */
    open,
    /** Like `open`, but returns undefined if no output is named. */
    openIf: (name: string | undefined) => (name === undefined ? undefined : open(name)),
    /** Writes an output as a whole. */
    async save(name: string, text: string) {
      const sink = open(name);
      await sink.write(text);
      await sink.commit();
    },
    /** Removes outputs that were opened and not committed. */
    close() {
      for (const sink of opened.values()) sink.discard();
    },
  };
}

export const openOutput = (name: string, context: OutputContext = {}): Sink =>
  createOutputs(context).open(name);

/** Returns the same text for all names of a file, with symbolic and hard links followed. */
function fileAt(name: string, cwd: string | undefined) {
  const path = canonicalPath(name, cwd);
  const found = statIfThere(path);
  return found?.isFile() ? `${found.dev}:${found.ino}` : path;
}

function sameFile(name: string, other: string) {
  return new UsageError(`${name} is the same file as ${other}`, 'Choose another path for the output.');
}

/** Reports whether a path is a device such as `/dev/null`, to which several outputs may be written. */
function isDevice(path: string) {
  return path !== '-' && statIfThere(path)?.isCharacterDevice() === true;
}
