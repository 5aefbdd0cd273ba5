/** Errors that end a run. A problem of one record is a value (`Rejected` in `records/user.ts`), never an error. */

import type { NoticeCode } from './records/notices.ts';
import type { ProblemCode } from './records/problems.ts';

/** Exit codes of every verb. docs/exit-codes.md says what to do about each. */
export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  rejected: 3,
  differs: 4,
  /** The service's lists are not up to date. Run it again later. */
  notYet: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** An error whose message a user can act on: what happened and where. `hint` says what to do. Never contains a secret. */
export class IdportError extends Error {
  override readonly name: string = 'IdportError';
  readonly exitCode: ExitCode = ExitCode.failed;
  /** Written for every verb. `cli/program.ts` drops the sentences that do not fit the verb that runs. */
  hint: string | undefined;
  /** Stable and searchable, for example `input:truncated`. */
  readonly code: ProblemCode | NoticeCode;

  constructor(code: ProblemCode | NoticeCode, message: string, hint?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
  }
}

/** Returns the message of whatever was thrown. */
export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The command line, the environment or the configuration is wrong. */
export class UsageError extends IdportError {
  override readonly name = 'UsageError';
  override readonly exitCode = ExitCode.usage;

  constructor(message: string, hint?: string, cause?: unknown, code: ProblemCode = 'usage') {
    super(code, message, hint, cause);
  }
}

/** Reports whether a run never had or lost its journal, so that report and rejects file may be those of another run. */
export const isOfOtherRun = ({ code }: { readonly code: string }) =>
  ['journal:held', 'journal:lock-lost', 'journal:missing'].includes(code);

/** A position in an input. `offset` counts bytes from 0, `line` and `column` count from 1. */
export interface Position {
  offset: number;
  line?: number | undefined;
  column?: number | undefined;
}

/** Returns the name of an input for messages. Events and reports have it as it was typed. */
export const inputName = (input: string) => (input === '-' ? 'standard input' : input);

export type InputCode = Extract<ProblemCode, `input:${string}`>;
export type OutputCode = Extract<ProblemCode, `output:${string}`>;

/** An input cannot be read to its end. The message names the file and the position. */
export class InputError extends IdportError {
  override readonly name = 'InputError';
  readonly input: string;
  /** Message without name and position. */
  readonly problem: string;
  readonly position: Position | undefined;

  constructor(
    code: InputCode,
    input: string,
    problem: string,
    hint?: string,
    cause?: unknown,
    position?: Position,
  ) {
    super(code, `${inputName(input)}${formatPosition(position)}: ${problem}`, hint, cause);
    this.input = input;
    this.problem = problem;
    this.position = position;
  }

  /** Returns the same error with another message or position. */
  toldAs(problem: string, position = this.position) {
    const { hint, cause } = this;
    return new InputError(this.code as InputCode, this.input, problem, hint, cause, position);
  }
}

export class OutputError extends IdportError {
  override readonly name = 'OutputError';
  readonly output: string;

  constructor(code: OutputCode, output: string, problem: string, hint?: string, cause?: unknown) {
    super(code, `${output}: ${problem}`, hint, cause);
    this.output = output;
  }
}

/** The reader of standard output has closed it (`| head`). The run ends there without a message. */
export class OutputClosedError extends IdportError {
  override readonly name = 'OutputClosedError';
  override readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, hint?: string, cause?: unknown) {
    super('output:closed', 'standard output was closed early', hint, cause);
    this.exitCode = exitCode;
  }
}

/** The user stopped the run (Ctrl-C, SIGTERM). */
export class InterruptedError extends IdportError {
  override readonly name = 'InterruptedError';
  override readonly exitCode = ExitCode.interrupted;

  constructor(message = 'interrupted', hint?: string, cause?: unknown) {
    super('interrupted', message, hint, cause);
  }
}

function formatPosition(position: Position | undefined) {
  if (position === undefined) return '';
  if (position.line === undefined) return ` at byte ${position.offset}`;
  return `:${position.line}:${position.column ?? 1} (byte ${position.offset})`;
}
