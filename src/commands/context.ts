/** What a command gets from the process: nothing in commands/ uses `process` itself. */
import type { Readable, Writable } from 'node:stream';
import type { ExitCode } from '../errors.ts';
import type { Emit } from '../events.ts';
import type { KnownFacts, RunMetrics } from '../flows/report/run-metrics.ts';
import type { Clock } from '../lib/clock.ts';
import type { Dialog } from '../lib/dialog.ts';
import type { Outputs } from '../storage/open-output.ts';

/** Given by the process, or by a program that uses the library. */
export interface ProcessContext {
  readonly emit: Emit;
  readonly clock: Clock;
  /** Aborted at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Records the run for its report; absent without one. */
  readonly record?: RunMetrics | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable;
  /** For data only. */
  readonly stdout: Writable;
  /** Whether the process runs this command only: globals may then be changed. */
  readonly ownProcess?: boolean;
  /** Asks at the terminal and hides the answer; absent without a terminal. */
  readonly askSecret?: ((question: string) => Promise<string>) | undefined;
  /** Absent where there is no terminal. */
  readonly dialog?: (() => Promise<Dialog>) | undefined;
}

export interface CommandContext extends ProcessContext {
  /** The flags of the run, as `--name`. */
  readonly given: readonly string[];
  /** The command as it was typed, without a token. */
  readonly typed: string;
  /** Adds to what the report of the run says of the run as a whole. */
  readonly addFacts: (facts: Partial<KnownFacts>) => void;
  /** Whether the output is for programs (`--json`). */
  readonly json: boolean;
  /** Uncommitted outputs are removed when the command ends. */
  readonly outputs: Outputs;
  /** Registers what to close when the command ends, in reverse order. */
  readonly onEnd: (close: () => unknown) => void;
}

/** Asks for yes or no; Enter means yes. Undefined where there is no terminal. */
export const confirmer = ({ dialog }: ProcessContext) =>
  dialog && (async (question: string) => (await dialog()).confirm(question));

/** A command. It checks its options, because commander checks little. */
export type Action<Options> = (options: Options, context: CommandContext) => Promise<ExitCode>;

/** Runs a command line as if it were typed. */
export type RunVerb = (argv: readonly string[], context: ProcessContext) => Promise<ExitCode>;
