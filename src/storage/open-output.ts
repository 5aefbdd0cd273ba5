/** What the user names in, sinks out: one for each name, none on a file that another output or the run needs. */
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { UsageError } from '../errors.ts';
import type { Sink } from '../lib/sink.ts';
import { createFileSink, type FileSinkOptions } from './file-sink.ts';
import { inputAt } from './same-file.ts';
import { createStreamSink } from './stream-sink.ts';

export interface OutputContext extends FileSinkOptions {
  readonly stdout?: Writable;
  /** What the run has in use besides its inputs: keys and tokens, its journal. No output may replace one of these. */
  readonly inUse?: readonly NamedFile[];
}

export interface NamedFile {
  /** What it is, with its article: `the journal`. */
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
  const inUse = placesInUse(context);
  return (name) => {
    if (name === '') throw new UsageError('the name of an output is empty', { hint: 'Name a file.' });
    const place = name === '-' ? name : placeOf(name, context.cwd);
    if (opened.has(place) && !isDevice(place)) {
      const what = name === '-' ? 'standard output' : name;
      throw new UsageError(`${what} would take two outputs`, { hint: 'Give each a path of its own.' });
    }
    const used = inUse.get(place);
    if (used !== undefined) throw sameFile(name, used);
    opened.add(place);
    if (name !== '-') return createFileSink(name, context);
    if (context.stdout === undefined) throw new UsageError('standard output cannot be written here');
    return createStreamSink(context.stdout, name);
  };
}

/**
 * For a file that the run itself writes, such as its journal: throws `UsageError` where it is
 * needed for something else.
 */
export function refuseInUse(name: string, context: OutputContext): void {
  const input = inputAt(resolve(context.cwd ?? '.', name), context.inputs ?? []);
  if (input !== undefined) throw sameFile(name, `the input ${input.name}`);
  const used = placesInUse(context).get(placeOf(name, context.cwd));
  if (used !== undefined) throw sameFile(name, used);
}

function placesInUse({ inUse = [], cwd }: OutputContext): Map<string, string> {
  const places = new Map<string, string>();
  for (const { what, path = '-' } of inUse) if (path !== '-') places.set(placeOf(path, cwd), what);
  return places;
}

/** The same for all names that lead to one file, also where that is not there yet. */
function placeOf(name: string, cwd = '.'): string {
  const path = resolve(cwd, name);
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(placeOf(folder), basename(path));
  }
}

function sameFile(name: string, other: string): UsageError {
  return new UsageError(`${name} is the same file as ${other}`, {
    hint: 'Choose another path for the output.',
  });
}

/** Devices such as `/dev/null` take any number. */
function isDevice(place: string): boolean {
  return place !== '-' && statSync(place, { throwIfNoEntry: false })?.isCharacterDevice() === true;
}
