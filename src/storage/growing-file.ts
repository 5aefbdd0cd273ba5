/** A file with mode 0600 that grows during a run. What is written stays, however the run ends. */
import { closeSync, openSync } from 'node:fs';
import { outputProblem } from './output-problem.ts';
import { writeFully } from './write-buffer.ts';

export interface GrowingFile {
  readonly name: string;
  append(text: string): void;
  close(): void;
}

/** Replaces an existing file. Throws `OutputError` when it cannot be written. */
export function createGrowingFile(name: string): GrowingFile {
  const file = attempt(name, () => openSync(name, 'w', 0o600));
  let open = true;
  let waiting = '';
  let failure: unknown;
  const flush = (): void => {
    const bytes = Buffer.from(waiting);
    waiting = '';
    writeFully(file, bytes);
  };
  const flushSoon = (): void => {
    try {
      if (open) flush();
    } catch (error) {
      failure = error;
    }
  };
  return {
    name,
    append(text) {
      if (failure !== undefined) throw outputProblem(name, failure);
      // Lines of one turn of the event loop are written with one system call.
      if (waiting === '') setImmediate(flushSoon);
      waiting += text;
    },
    close() {
      if (!open) return;
      open = false;
      attempt(name, () => {
        try {
          flush();
        } finally {
          closeSync(file);
        }
      });
    },
  };
}

function attempt<T>(name: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw outputProblem(name, error);
  }
}
