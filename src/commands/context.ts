/** What every verb is handed at the process edge: nothing in commands/ touches `process`. */
import type { Readable, Writable } from 'node:stream';
import type { ExitCode } from '../errors.ts';
import type { Emit } from '../events.ts';
import type { Clock } from '../lib/clock.ts';

export interface CommandContext {
  readonly emit: Emit;
  readonly clock: Clock;
  /** Aborted at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable;
  /** Data goes here and nothing else does. */
  readonly stdout: Writable;
  /** True where a person watches stderr. */
  readonly interactive: boolean;
  /** Asks the person in front of the terminal and shows nothing of the answer; absent where nobody can answer. */
  readonly askSecret?: ((question: string) => Promise<string>) | undefined;
  /** The same, and what is typed is shown. */
  readonly askLine?: ((question: string) => Promise<string>) | undefined;
  /** The same for yes or no, where Enter is yes. */
  readonly askYes?: ((question: string) => Promise<boolean>) | undefined;
}

/** A command: checked no further than commander does, so it checks its options first. */
export type Action<Options> = (options: Options, context: CommandContext) => Promise<ExitCode>;
