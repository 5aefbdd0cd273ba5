/** Turns errors of writing a file or a stream into an error that says what to do. */
import { ExitCode, IdportError, OutputClosedError, OutputError } from '../errors.ts';

interface Problem {
  readonly code: `output:${string}`;
  readonly problem: string;
  readonly hint?: string;
}

const full: Problem = {
  code: 'output:disk-full',
  problem: 'the disk is full',
  hint: 'Make room, or write to another disk.',
};

const forbidden: Problem = {
  code: 'output:not-permitted',
  problem: 'writing there is not permitted',
  hint: 'Give your user the right to write in that folder, or choose another path.',
};

const problems: Readonly<Record<string, Problem>> = {
  ENOSPC: full,
  EDQUOT: full,
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: { ...forbidden, problem: 'the file system is read-only' },
  ENOENT: {
    code: 'output:no-folder',
    problem: 'its folder does not exist',
    hint: 'Create the folder first, or correct the path.',
  },
  ENOTDIR: { code: 'output:no-folder', problem: 'a part of the path is a file, not a folder' },
  EISDIR: { code: 'output:is-folder', problem: 'it is a folder', hint: 'Name a file in it.' },
  EFBIG: { code: 'output:too-large', problem: 'the file system cannot hold a file of this size' },
};

/** The reader of the stream has closed it, as reported by the system or by the stream itself. */
const closedCodes = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

/** `left`: a sentence about what is left of the output. */
export function outputProblem(
  name: string,
  error: unknown,
  left = 'Nothing of the unfinished output is left.',
): IdportError {
  if (error instanceof IdportError) return error;
  const errno = (error as NodeJS.ErrnoException).code ?? '';
  if (closedCodes.has(errno)) return new OutputClosedError(ExitCode.done, undefined, error);
  const known = problems[errno] ?? {
    code: 'output:failed' as const,
    problem: `it could not be written (${errno || 'unknown reason'})`,
  };
  const hint = known === full ? `${full.hint} ${left}`.trimEnd() : known.hint;
  return new OutputError(known.code, name, known.problem, hint, error);
}
