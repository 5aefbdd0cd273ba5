/** What the threads of a worker pool run, how they find its module, and how errors travel between them. */
import { IdportError, type InputCode, InputError, messageOf } from '../errors.ts';

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

/** An error between threads, where it loses its class. */
export type PlainError = { readonly message: string; readonly stack?: string | undefined } & Partial<
  Pick<InputError, 'code' | 'hint' | 'input' | 'problem' | 'position'>
>;

export function flattenError(error: unknown): PlainError {
  const message = messageOf(error);
  if (error instanceof IdportError) return Object.assign({ message }, error);
  return { message, stack: error instanceof Error ? error.stack : undefined };
}

export function reviveError({ message, stack, code, hint, input, problem, position }: PlainError): Error {
  if (input !== undefined && problem !== undefined)
    return new InputError(code as InputCode, input, problem, hint, undefined, position);
  if (code !== undefined) return new IdportError(code, message, hint);
  return Object.assign(new Error(message), stack === undefined ? {} : { stack });
}
