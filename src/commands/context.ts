/** What a command gets from the process. Nothing in commands/ uses `process` itself. */
import type { Readable, Writable } from 'node:stream';
import type { ExitCode } from '../errors.ts';
import type { Emit } from '../events.ts';
import type { KnownFacts, RunMetrics } from '../flows/report/run-metrics.ts';
import type { Clock } from '../lib/clock.ts';
import type { Dialog } from '../lib/dialog.ts';
import type { Values } from '../lib/flag.ts';
import type { Outputs } from '../storage/file-sink.ts';

/** Given by the process, or by a program that uses the library. */
export interface ProcessContext {
  readonly emit: Emit;
  readonly clock: Clock;
  /** Aborted at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Records the run for its report. Undefined without a report. */
  readonly record?: RunMetrics;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable;
  /** For data only. */
  readonly stdout: Writable;
  /** Whether the process runs only this command, so that global state may be changed. */
  readonly ownProcess?: boolean;
  /** Asks a question at the terminal and hides the answer. Undefined without a terminal. */
  readonly askSecret?: ((question: string) => Promise<string>) | undefined;
  /** Undefined without a terminal. */
  readonly dialog?: (() => Promise<Dialog>) | undefined;
}

export interface CommandContext extends ProcessContext {
  /** Names of the given flags, as `--name`. */
  readonly given: readonly string[];
  /** The command as typed, without tokens. */
  readonly typed: string;
  /** Adds facts about the whole run to its report. */
  readonly addFacts: (facts: Partial<KnownFacts>) => void;
  /** Whether the output is for programs (`--json`). */
  readonly json: boolean;
  /** Output files. Uncommitted ones are removed when the command ends. */
  readonly outputs: Outputs;
  /** Registers what to close when the command ends. Closed in reverse order. */
  readonly onEnd: (close: () => unknown) => void;
}

/** Returns a function that asks a yes-or-no question, in which Enter means yes. Undefined without a terminal. */
export const confirmer = ({ dialog }: ProcessContext) =>
  dialog && (async (question: string) => (await dialog()).confirm(question));

/** A command. It checks its options itself, because commander checks little. Without an exit code, everything is done. */
export type CommandOf<Options> = (options: Options, context: CommandContext) => Promise<ExitCode | void>;

/** A command with the flags of a table. */
export type Action<Rows> = CommandOf<Values<Rows>>;

/** Runs a command line as if it were typed. */
export type RunVerb = (argv: readonly string[], context: ProcessContext) => Promise<ExitCode>;
