/** Files of ours that a run appends lines to, 0600. What is written stays, however the run ends. */
import { existsSync, readFileSync } from 'node:fs';
import { OutputError, UsageError } from '../errors.ts';
import { type LineFile, type LineRules, openLines } from '../lib/line-file.ts';
import { inputProblem, outputProblem } from './file-problem.ts';

/** What such a file is. */
interface OwnLines {
  /** Of each line. */
  readonly beginning: string;
  /** With its article. */
  readonly what: string;
  /** For another file at its place. */
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

/** Replaces an existing file. Throws `OutputError` where it cannot be written. */
export const createLines = (path: string): LineFile => openLines(path, 0, rules);

/** The lines without one that was cut off, and how many bytes stay; none without the file. Throws `UsageError` for another file. */
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

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw inputProblem(path, error);
  }
}

/** Appends to them, on the disk when it returns; returns those before. Throws `OutputError`. */
export function appendOwnLines(path: string, own: OwnLines, added: readonly object[] = []): string[] {
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
