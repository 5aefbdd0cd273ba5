/** What the declarations of verbs share. Flags are declared at the start, a command is loaded when it runs. */
import type { Command } from 'commander';
import type { Action } from '../commands/context.ts';
import type { IdportCommand } from './command.ts';

/** Loads and runs the command of a verb; `program.ts` passes the real one, tests one that looks at the options. */
export type Dispatch = <Options>(load: () => Promise<Action<Options>>, options: Options) => Promise<void>;

/** Adds one verb to the program, or a sub-verb to a verb. */
export type DeclareVerb = (program: IdportCommand, dispatch: Dispatch) => void;

/** For flags that may be given several times or as a list with commas. */
export function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, ...value.split(',').filter((part) => part !== '')];
}

/** For paths: given several times, or several after one flag; a comma is part of a path. */
export function append(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

/** The names from the program, which is left out, to the command. */
export function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

export function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
