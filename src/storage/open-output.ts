/** Opens the outputs that the user names, and refuses a file that another output or the run itself uses. */
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { UsageError } from '../errors.ts';
import { canonicalPath } from '../lib/canonical-path.ts';
import type { Input } from '../lib/input.ts';
import type { Sink } from '../lib/sink.ts';
import { createFileSink } from './file-sink.ts';
import { inputAt, statIfThere } from './same-file.ts';
import { createStreamSink } from './stream-sink.ts';

export interface OutputContext {
  /** The folder of relative paths. */
  readonly cwd?: string;
  /** The inputs of the run, none of which may be replaced. */
  readonly inputs?: readonly Input[];
  readonly stdout?: Writable;
  /** Files that the run uses besides its inputs, such as keys, tokens and its journal. No output may replace them. */
  readonly inUse?: readonly NamedFile[];
}

export interface NamedFile {
  /** A noun with its article: `the journal`. */
  readonly what: string;
  /** Undefined (or `-`) where there is no such file. */
  readonly path: string | undefined;
}

/** `-` is standard output, everything else a file. */
export function openOutput(name: string, context: OutputContext = {}): Sink {
  return createOutputOpener(context)(name);
}

/** Opens the outputs of one run; throws `UsageError` where two would be written to the same place. */
export function createOutputOpener(context: OutputContext = {}): (name: string) => Sink {
  const opened = new Set<string>();
  return (name) => {
    if (name === '') throw new UsageError('the name of an output is empty', { hint: 'Name a file.' });
    const path = name === '-' ? name : fileAt(name, context.cwd);
    if (opened.has(path) && !isDevice(path)) {
      const what = name === '-' ? 'standard output' : name;
      throw new UsageError(`${what} would take two outputs`, { hint: 'Give each its own path.' });
    }
    if (name !== '-') refuseInUse(name, context);
    opened.add(path);
    if (name !== '-') return createFileSink(name, context);
    if (context.stdout === undefined) throw new UsageError('standard output cannot be written here');
    return createStreamSink(context.stdout, name);
  };
}

/** Throws `UsageError` when a file that the run writes, such as its journal, is also used for something else. */
export function refuseInUse(name: string, context: OutputContext): void {
  const input = inputAt(resolve(context.cwd ?? '.', name), context.inputs ?? []);
  if (input !== undefined) throw sameFile(name, `the input ${input.name}`);
  const file = fileAt(name, context.cwd);
  const used = context.inUse?.find(({ path = '-' }) => path !== '-' && fileAt(path, context.cwd) === file);
  if (used !== undefined) throw sameFile(name, used.what);
}

/** What all names of a file have in common, links of both kinds followed. */
function fileAt(name: string, cwd: string | undefined): string {
  const path = canonicalPath(name, cwd);
  const found = statIfThere(path);
  return found?.isFile() === true ? `${found.dev}:${found.ino}` : path;
}

function sameFile(name: string, other: string): UsageError {
  return new UsageError(`${name} is the same file as ${other}`, {
    hint: 'Choose another path for the output.',
  });
}

/** Several outputs may be written to a device such as `/dev/null`. */
function isDevice(path: string): boolean {
  return path !== '-' && statIfThere(path)?.isCharacterDevice() === true;
}
