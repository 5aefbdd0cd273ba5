/** Files of our own to which a run appends lines, with mode 0600. Written lines stay, however the run ends. */
import { existsSync, readFileSync } from 'node:fs';
import { OutputError, UsageError } from '../errors.ts';
import { type LineRules, openLines } from '../lib/line-file.ts';
import { inputProblem, outputProblem } from './file-problem.ts';

/** How such a file is recognized, and what messages say about it. */
interface OwnLines {
  /** Beginning of each line. */
  readonly beginning: string;
  /** What the file is, with its article. */
  readonly what: string;
  /** What to do with another file in its place. */
  readonly advice: string;
}

const rules: LineRules = {
  unwritable: (path, cause) => outputProblem(path, cause, 'The file is cut off: --resume completes it.'),
  deleted: (path) =>
    new OutputError(
      'output:deleted',
      path,
      'it was deleted while it was written',
      '--resume writes all of it again.',
    ),
};

/** Creates the file and replaces an existing one. Throws `OutputError` if it cannot be written. */
export const createLines = (path: string) => openLines(path, 0, rules);

/**
 * Returns the whole lines and the number of bytes to keep. Without the file there are no lines. Throws `UsageError` for a file of
 * another kind.
 */
export function readOwnLines(path: string, { beginning, what, advice }: OwnLines) {
  const bytes = existsSync(path) ? readBytes(path) : Buffer.alloc(0);
  const lines = bytes.toString('utf8').split('\n');
  if (lines.every((line) => beginning.startsWith(line.slice(0, beginning.length)))) {
    // Another run may have added a line by the time the file is opened.
    const whole = lines.at(-1) === '' ? Infinity : bytes.lastIndexOf('\n') + 1;
    return { lines: lines.slice(0, -1), whole };
  }
  throw new UsageError(`${path} is not ${what}`, `It was left as it is: ${advice}.`);
}

function readBytes(path: string) {
  try {
    return readFileSync(path);
  } catch (error) {
    throw inputProblem(path, error);
  }
}

/** Appends lines and returns the ones before them. The lines are on disk when it returns. Throws `OutputError`. */
export function appendOwnLines(path: string, own: OwnLines, added: readonly object[] = []) {
  const { lines, whole } = readOwnLines(path, own);
  const file = openLines(path, whole, rules);
  try {
    for (const one of added) file.add(JSON.stringify(one));
    file.save();
  } finally {
    file.close();
  }
  return lines;
}
