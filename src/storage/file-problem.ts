/** Turns errors of reading and writing files and streams into errors that say what to do. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  InputError,
  ExitCode,
  IdportError,
  OutputClosedError,
  OutputError,
  type InputCode,
  type OutputCode,
} from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { errnoOf, systemTexts } from '../lib/system-errors.ts';

interface Problem<Code extends string> {
  readonly code: Code;
  /** Set if there is more to say than the system's own meaning. */
  readonly problem?: string;
  readonly hint?: string;
}
type Problems<Code extends string> = Readonly<Record<string, Problem<Code>>>;

/**
 * Returns the system's meaning of an error, unless `problems` has its own. `done` names the failed action as a participle:
 * `read`.
 */
function problemOf<Code extends string>(problems: Problems<Code>, error: unknown, code: Code, done: string) {
  const errno = errnoOf(error);
  const unknown = `it could not be ${done} (${errno || 'unknown reason'})`;
  return { code, problem: systemTexts[errno] ?? unknown, ...problems[errno] };
}

const readProblems: Problems<InputCode> = {
  ENOENT: { code: 'input:not-found', problem: 'there is no such file' },
  ENXIO: { code: 'input:unreadable', hint: 'Name a file.' },
  ENOTDIR: { code: 'input:not-found' },
  EISDIR: { code: 'input:is-folder', problem: 'it is a folder, not a file' },
  EACCES: {
    code: 'input:unreadable',
    problem: 'reading it is not permitted',
    hint: 'Give your user the right to read it, or copy it to a place where it has that right.',
  },
  EPERM: { code: 'input:unreadable', problem: 'reading it is not permitted' },
  ENAMETOOLONG: { code: 'input:not-found' },
  ELOOP: { code: 'input:not-found' },
};

/** Returns the error of a failed read. With `path`, the error for a missing file suggests similar names. */
export function inputProblem(name: string, error: unknown, path?: string) {
  const known = problemOf(readProblems, error, 'input:unreadable', 'read');
  const hint = known.code === 'input:not-found' && path !== undefined ? missingHint(name, path) : known.hint;
  return new InputError(known.code, name, known.problem, hint, error);
}

function missingHint(name: string, path: string) {
  const similar = similarNames(path);
  const [first] = similar;
  if (first === undefined) return 'Check the path; it is taken from the folder in which the command runs.';
  const folder = dirname(name);
  const suggestions = similar.map((entry) => (name.includes('/') ? join(folder, entry) : entry));
  return `Did you mean ${suggestions.join(' or ')}?`;
}

/** Returns up to three names, the closest first; none if the folder cannot be read. */
function similarNames(path: string) {
  try {
    // The folder has the name itself if it is a link that leads nowhere.
    const others = readdirSync(dirname(path)).filter((name) => name !== basename(path));
    // Also `realm.json` for `realm.json.gz` or `realm`.
    return nearest(
      basename(path),
      others.slice(0, 1000),
      (requested, name) => name.startsWith(`${requested}.`) || requested.startsWith(`${name}.`),
    );
  } catch {
    return [];
  }
}

const full = {
  code: 'output:disk-full',
  hint: 'Make room, or write to another disk.',
} as const;

const forbidden = {
  code: 'output:not-permitted',
  hint: 'Give your user the right to write in that folder, or choose another path.',
} as const;

const writeProblems: Problems<OutputCode> = {
  ENOSPC: full,
  EDQUOT: full,
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: forbidden,
  ENOENT: {
    code: 'output:no-folder',
    problem: 'its folder does not exist',
    hint: 'Create the folder first, or correct the path.',
  },
  ENOTDIR: { code: 'output:no-folder' },
  EISDIR: { code: 'output:is-folder', hint: 'Name a file in it.' },
  EFBIG: { code: 'output:too-large' },
};

/** The reader has closed the stream, as reported by the system or by the stream itself. */
const closedCodes = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/** Returns a function that runs a step and turns its error into an error about the output of this name. */
export const attemptsAt =
  (name: string) =>
  <T>(step: () => T) => {
    try {
      return step();
    } catch (error) {
      throw outputProblem(name, error);
    }
  };

/** `left` is a sentence about what is left of the output. */
export function outputProblem(
  name: string,
  error: unknown,
  left = 'Nothing of the unfinished output is left.',
) {
  if (error instanceof IdportError) return error;
  if (closedCodes.has(errnoOf(error))) return new OutputClosedError(ExitCode.done, undefined, error);
  const known = problemOf(writeProblems, error, 'output:failed', 'written');
  const hint = known.code === full.code ? `${full.hint} ${left}`.trimEnd() : known.hint;
  return new OutputError(known.code, name, known.problem, hint, error);
}
