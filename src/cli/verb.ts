/** A verb: a row of the tree in `verbs/`, with a table of flags from `flags/` and a command that is loaded when it runs. */
import type { Action, CommandOf, ProcessContext, RunVerb } from '../commands/context.ts';
import type { ExitCode } from '../errors.ts';
import type { Table } from '../lib/flag.ts';

export interface Verb {
  readonly description: string;
  /** Arguments in their order. `value` is the text of the help. */
  readonly args?: Table;
  readonly flags: Table;
  /** Flags in the short help. `--help=all` shows all. If absent, the short help shows all as well. */
  readonly common?: readonly string[];
  readonly examples: readonly string[];
  /** Text of the help before the examples. */
  readonly notes?: string;
  /** The verb is about the tool itself, so it reads no configuration file. */
  readonly withoutSettings?: true;
  /** Verbs below, each made when typed, because making all flags of all sources takes longer than most runs. */
  readonly verbs?: Readonly<Record<string, () => Verb>>;
  /** Headings of the help by the first verb under each. */
  readonly headings?: Readonly<Record<string, string>>;
  /** `run` runs another verb as if it were typed. */
  readonly load?: (run: RunVerb) => Promise<CommandOf<never>>;
}

/** Returns a verb with a command, and infers the options from the tables. */
export const verb = <Flags extends object = object, Args extends object = object>({
  flags,
  ...others
}: Omit<Verb, 'args' | 'flags' | 'load'> & {
  readonly args?: Args & Table;
  readonly flags?: Flags & Table;
  readonly load: (run: RunVerb) => Promise<Action<Args & Flags>>;
}): Verb => ({ flags: flags ?? {}, ...others });

/** Returns a verb that only has others below it. */
export const branch = (
  description: string,
  examples: readonly string[],
  verbs: Readonly<Record<string, Verb | (() => Verb)>>,
): Verb => ({
  description,
  examples,
  flags: {},
  verbs: Object.fromEntries(
    Object.entries(verbs).map(([name, one]) => [name, typeof one === 'function' ? one : () => one]),
  ),
});

/** Typed values by the name of the flag or argument. */
export type Raw = Readonly<Record<string, unknown>>;

/** A command as a process runs it. */
export type Run = (options: Raw, context: ProcessContext) => Promise<ExitCode>;
