/** Errors of the JSON scanner: what is wrong and at which byte. Users see them as an `InputError`. */
import { type InputCode, InputError } from '../errors.ts';

/** `offset` counts bytes from the start of the text that was read. The problem never quotes more than one character. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly code: InputCode;
  readonly problem: string;
  readonly offset: number;

  constructor(code: InputCode, problem: string, offset: number) {
    super(`${problem} (byte ${offset})`);
    this.code = code;
    this.problem = problem;
    this.offset = offset;
  }

  /** Returns the error for the input `name`, in which the scanned text begins at byte `start`. */
  toInputError(name: string, start = 0) {
    const position = { offset: start + this.offset };
    return new InputError(this.code, name, this.problem, hints[this.code], undefined, position);
  }
}

/** Runs `run` and returns its first error, or undefined. */
export function caught(run: () => void) {
  try {
    run();
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  return undefined;
}

export function describeByte(byte: number) {
  if (byte === 0x22) return `'"'`;
  if (byte > 0x20 && byte < 0x7f) return `"${String.fromCharCode(byte)}"`;
  return `byte 0x${byte.toString(16).padStart(2, '0')}`;
}

const hints: Partial<Record<InputCode, string>> = {
  'input:empty': 'Check that the export finished and wrote this file.',
  'input:truncated': 'The export or the copy stopped early: export or copy the file again.',
  'input:syntax': 'Fix the file at this place, or export it again.',
  'input:trailing-garbage': 'Check that it is the right file. If it is, leave out the rest in a copy of it.',
  'input:duplicate-key': 'Keep one of the two, so that it is clear which one counts.',
  'input:invalid-utf8': 'Save the file as UTF-8.',
};
