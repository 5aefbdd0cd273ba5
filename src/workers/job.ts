/** What the threads of a worker pool run, how they find its module, and how errors travel between them. */
import { IdportError, type InputCode, InputError } from '../errors.ts';

/** Processes tasks one by one, on any thread. */
export interface Job<Task, Result> {
  readonly work: (task: Task) => Result | Promise<Result>;
  /** Buffers that belong to the task alone. They are moved between threads without a copy and reused afterwards. */
  readonly buffersOfTask: (task: Task) => ArrayBuffer[];
  /** Buffers that belong to the result alone. */
  readonly buffersOfResult: (result: Result) => ArrayBuffer[];
}

export interface JobPlan<Task, Result> {
  /** Exports `startJob`; see `moduleUrl`. */
  readonly module: URL;
  /** Argument of `startJob`, which must survive a structured clone. */
  readonly settings: unknown;
  /** Job that does the same in this thread. */
  readonly job: Job<Task, Result>;
}

export interface JobModule {
  readonly startJob: (settings: unknown) => Job<unknown, unknown> | Promise<Job<unknown, unknown>>;
}

/** A task and its result, valid until the next one is requested. */
export interface Done<Task, Result> {
  readonly task: Task;
  readonly result: Result;
}

/** Returns the URL of the module `name` in the folder of the module `url`. */
export function moduleUrl(url: string, name: string) {
  // A built file loads the built module; a source file loads the source, with the same loader.
  return new URL(`./${name}.${url.endsWith('.ts') ? 'ts' : 'js'}`, url);
}

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
