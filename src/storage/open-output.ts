/** Opens the outputs that the user names, and refuses a file that another output or the run itself uses. */
import { lstatSync, renameSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { UsageError } from '../errors.ts';
import { canonicalPath } from '../lib/canonical-path.ts';
import type { Input } from '../lib/input.ts';
import type { Sink } from '../lib/sink.ts';
import { createFileSink } from './file-sink.ts';
import { inputAt, statIfThere } from './same-file.ts';
import { createStreamSink } from './stream-sink.ts';

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
  return found?.isFile() === true ? `${found.dev}:${found.ino}` : path;
}

function sameFile(name: string, other: string) {
  return new UsageError(`${name} is the same file as ${other}`, 'Choose another path for the output.');
}

/** Reports whether a path is a device such as `/dev/null`, to which several outputs may be written. */
function isDevice(path: string) {
  return path !== '-' && statIfThere(path)?.isCharacterDevice() === true;
}
