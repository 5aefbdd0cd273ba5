/** A file with mode 0600 that grows during a run. What is written stays, however the run ends. */
import { closeSync, fstatSync, fsyncSync, openSync } from 'node:fs';
import { OutputError } from '../errors.ts';
import { outputProblem } from './file-problem.ts';
import { writeFully } from './write-buffer.ts';

/** Replaces an existing file. Throws `OutputError` when it cannot be written. */
export function createGrowingFile(name: string) {
  const attempt = (step: () => void) => {
    try {
      step();
    } catch (error) {
      throw (failure ??= outputProblem(name, error, cutOff));
    }
  };
  let failure: unknown;
  let file = -1;
  attempt(() => {
    file = openSync(name, 'w', 0o600);
  });
  let open = true;
  let waiting = '';
  const flush = () => {
    if (failure !== undefined) throw failure;
    const bytes = Buffer.from(waiting);
    waiting = '';
    attempt(() => {
      if (fstatSync(file).nlink === 0) throw deleted(name);
      writeFully(file, bytes);
    });
  };
  const flushSoon = () => {
    try {
      if (open) flush();
    } catch {
      // The next call throws it.
    }
  };
  return {
    /** Throws `OutputError` when an earlier text could not be written. */
    append(text: string): void {
      if (failure !== undefined) throw failure;
      // Lines of one turn of the event loop are written with one system call.
      if (waiting === '') setImmediate(flushSoon);
      waiting += text;
    },
    /** Throws `OutputError` when not all of the file could be written. */
    close(): void {
      if (!open) return;
      open = false;
      try {
        flush();
        // Some file systems report only now that there was no room.
        attempt(() => fsyncSync(file));
      } finally {
        attempt(() => closeSync(file));
      }
    },
  };
}

const cutOff = 'The file is cut off: --resume writes all of it again.';

function deleted(name: string): OutputError {
  return new OutputError(
    'output:deleted',
    name,
    'it was deleted while it was written',
    '--resume writes all of it again.',
  );
}
