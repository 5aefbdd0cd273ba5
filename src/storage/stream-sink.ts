/** Writes to standard output. Waits while the reader is slow, and reports when the reader has closed it. */
import { fstatSync } from 'node:fs';
import { Writable } from 'node:stream';
import { ExitCode, OutputClosedError } from '../errors.ts';
import { printable } from '../lib/format.ts';
import type { Sink } from '../lib/sink.ts';
import { createWriteBuffer, writeFully } from './write-buffer.ts';
import { outputProblem } from './file-problem.ts';

/** Leaves the stream open, because it belongs to the process. Throws `OutputClosedError` if the reader has closed it. */
export function createStreamSink(stream: Writable): Sink {
  let failure: unknown;
  let bytes = 0;
  let isFull = false;
  const buffer = createWriteBuffer((block) => {
    isFull = !stream.write(Buffer.from(block));
  });
  stream.on('error', (error) => {
    failure ??= error;
  });

  const check = () => {
    const problem = failure === undefined ? undefined : outputProblem('standard output', failure, '');
    const isCut = failure === undefined && stream.destroyed;
    // The reader got an incomplete output. Unlike for lines of a list, this must not look like success.
    if (isCut || problem instanceof OutputClosedError) {
      throw new OutputClosedError(ExitCode.failed, 'Its reader got only part of the output.');
    }
    if (problem !== undefined) throw problem;
  };

  const drained = async () => {
    if (stream.writableNeedDrain && !stream.destroyed) await drainOrClose(stream);
    isFull = false;
    check();
  };

  return {
    name: '-',
    get bytes() {
      return bytes;
    },
    write(chunk) {
      check();
      bytes += buffer.add(chunk);
      return isFull ? drained() : undefined;
    },
    async commit() {
      check();
      buffer.flush();
      // The callback of an empty write is called when everything before it has been written.
      await new Promise<void>((done) => stream.write('', () => done()));
      check();
    },
    discard() {
      // Bytes that the reader has already received cannot be removed.
    },
  };
}

/** Waits for whichever comes first. A stream that fails also closes. */
function drainOrClose(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done).off('error', done);
      resolve();
    };
    stream.on('drain', done).on('close', done).on('error', done);
  });
}

/**
 * Returns the stream of standard output, or a stream of our own if it is a file. Node's stream ends without an error if the disk
 * takes only part of a write.
 */
export function standardOutput(stream: Writable) {
  if (!writesToFile()) return stream;
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        writeFully(1, chunk);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

function writesToFile() {
  try {
    return fstatSync(1).isFile();
  } catch {
    return false;
  }
}

const guarded = new WeakSet<Writable>();

/** Writes lines of text or JSON in which names and ids cannot control the screen. */
export function printLines(stream: Writable, lines: readonly string[]) {
  return print(stream, lines.map((line) => `${printable(line)}\n`).join(''));
}

export function printLine(stream: Writable, line: string) {
  return printLines(stream, [line]);
}

export function printJson(stream: Writable, value: unknown) {
  return printLine(stream, JSON.stringify(value));
}

/** For `--format`: prints a line of JSON, or lines of text. */
export function printAs(
  format: 'json' | 'text',
  stream: Writable,
  value: unknown,
  lines: () => readonly string[],
) {
  return format === 'json' ? printJson(stream, value) : printLines(stream, lines());
}

/** Prints line by line. With `goesOn`, a reader that closes the stream ends the printing but not the run. */
export function linePrinter(stream: Writable, goesOn: boolean): (line: string) => Promise<void> {
  let isRead = true;
  return async (line) => {
    if (!isRead) return;
    await printLine(stream, line).catch((error: unknown) => {
      if (!(error instanceof OutputClosedError) || !goesOn) throw error;
      isRead = false;
    });
  };
}

/** Writes a text and resolves when it is written. Throws `OutputClosedError` if the reader has closed the stream (`| head`). */
export async function print(stream: Writable, text: string) {
  // Without this listener, a closed pipe would end the process with a stack trace.
  if (!guarded.has(stream)) stream.on('error', () => {});
  guarded.add(stream);
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (error) reject(outputProblem('standard output', error, ''));
      else resolve();
    });
  });
}
