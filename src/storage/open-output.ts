/** What the user names in, sinks out: one for each name, none on a file that another output or the run reads. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { UsageError } from '../errors.ts';
import type { Sink } from '../lib/sink.ts';
import { createFileSink, type FileSinkOptions } from './file-sink.ts';
import { createStreamSink } from './stream-sink.ts';

export interface OutputContext extends FileSinkOptions {
  readonly stdout?: Writable;
}

/** `-` is standard output, everything else a file. */
export function openOutput(name: string, context: OutputContext = {}): Sink {
  if (name === '') throw new UsageError('the name of an output is empty', { hint: 'Name a file.' });
  if (name !== '-') return createFileSink(name, context);
  if (context.stdout === undefined) throw new UsageError('standard output cannot be written here');
  return createStreamSink(context.stdout, name);
}

/** Opens the outputs of one run; throws `UsageError` where two would be written to the same place. */
export function createOutputOpener(context: OutputContext = {}): (name: string) => Sink {
  const opened = new Set<string>();
  return (name) => {
    const place = name === '-' ? name : resolve(context.cwd ?? '.', name);
    if (opened.has(place) && !isDevice(place)) {
      const what = name === '-' ? 'standard output' : name;
      throw new UsageError(`${what} would take two outputs`, { hint: 'Give each a path of its own.' });
    }
    opened.add(place);
    return openOutput(name, context);
  };
}

/** Devices such as `/dev/null` take any number. */
function isDevice(place: string): boolean {
  return place !== '-' && statSync(place, { throwIfNoEntry: false })?.isCharacterDevice() === true;
}
