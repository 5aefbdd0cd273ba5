/** What a command gets of the process: nothing in commands/ touches `process` itself. */
import type { Readable, Writable } from 'node:stream';
import type { ExitCode } from '../errors.ts';
import type { Emit } from '../events.ts';
import type { RunRecord } from '../flows/report/run-record.ts';
import type { Clock } from '../lib/clock.ts';
import type { Dialog } from '../lib/dialog.ts';
import type { Outputs } from '../storage/open-output.ts';

/** Of the process, or of a program that uses the library. */
export interface ProcessContext {
  readonly emit: Emit;
  readonly clock: Clock;
  /** Aborted at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** What a report says of the run as a whole; absent where no report is asked for. */
  readonly record?: RunRecord | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable;
  /** For data only. */
  readonly stdout: Writable;
  /** True where a user watches stderr. */
  readonly interactive: boolean;
  /** True where the process does nothing but this command: what is global may then be changed. */
  readonly ownProcess?: boolean;
  /** Asks the user at the terminal and hides the answer; absent where there is no terminal. */
  readonly askSecret?: ((question: string) => Promise<string>) | undefined;
  /** The same, with a visible answer. */
  readonly askLine?: ((question: string) => Promise<string>) | undefined;
  /** Absent where there is no terminal. */
  readonly dialog?: (() => Promise<Dialog>) | undefined;
  /** The same for yes or no, where Enter is yes. */
  readonly askYes?: ((question: string) => Promise<boolean>) | undefined;
}

export interface CommandContext extends ProcessContext {
  /** The flags that the run was given, as `--name`. */
  readonly given: readonly string[];
  /** The command as it was typed, without a token. */
  readonly typed: string;
  /** Whether programs read what it prints: `--json`. */
  readonly json: boolean;
  /** What is not committed when the command ends is removed. */
  readonly outputs: Outputs;
  /** Called when the command has ended, however it did; the last one first. */
  readonly onEnd: (close: () => unknown) => void;
}

/** A command. It checks its options first: commander checks little. */
export type Action<Options> = (options: Options, context: CommandContext) => Promise<ExitCode>;
