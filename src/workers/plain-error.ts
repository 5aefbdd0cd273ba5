/** Sends errors between threads as plain values, because a structured clone loses their classes. */
import { IdportError, type InputCode, InputError } from '../errors.ts';

export interface PlainError {
  readonly code?: IdportError['code'];
  readonly message: string;
  readonly hint?: string | undefined;
  readonly stack?: string | undefined;
  /** Set for an `InputError`. */
  readonly input?: { readonly name: string; readonly problem: string; readonly offset: number | undefined };
}

export function flattenError(error: unknown): PlainError {
  if (error instanceof InputError) {
    const { code, message, hint, input, problem, position } = error;
    return { code, message, hint, input: { name: input, problem, offset: position?.offset } };
  }
  if (error instanceof IdportError) return { code: error.code, message: error.message, hint: error.hint };
  if (error instanceof Error) return { message: error.message, stack: error.stack };
  return { message: String(error) };
}

export function reviveError({ code, message, hint, stack, input }: PlainError): Error {
  if (input !== undefined) {
    const { name, problem, offset } = input;
    const position = offset === undefined ? undefined : { offset };
    return new InputError(code as InputCode, name, problem, hint, undefined, position);
  }
  if (code !== undefined) return new IdportError(code, message, hint);
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
