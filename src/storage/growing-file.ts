/** A path in, a file of lines out that grows while a run goes, 0600: what is written stays, however the run ends. */
import { closeSync, openSync } from 'node:fs';
import { outputProblem } from './output-problem.ts';
import { writeFully } from './write-buffer.ts';

export interface GrowingFile {
  readonly name: string;
  append(text: string): void;
  close(): void;
}

/** What stood there before is gone. Throws `OutputError` when nothing can be written there. */
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
      // What comes at one time is one call to the system.
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
