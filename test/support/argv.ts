/** A command line in, the command and the options that it would get out; nothing runs. */
import type { Action } from '../../src/commands/context.ts';
import { rawOf, verbOf } from '../../src/cli/line.ts';
import { readLine } from '../../src/cli/program.ts';
import { readFlags } from '../../src/lib/flag.ts';

export interface ParsedCommand {
  readonly action: Action<unknown>;
  readonly options: unknown;
}

export async function parseCommand(argv: readonly string[]): Promise<ParsedCommand> {
  const line = await readLine(argv);
  if (line.problem !== undefined) throw line.problem;
  const { load, table } = verbOf(line);
  const action = (await load!(() => Promise.reject(new Error('no verb runs')))) as Action<unknown>;
  return {
    action: (raw, context) => action(readFlags(table, raw as ReturnType<typeof rawOf>), context),
    options: rawOf(line),
  };
}

export async function parseArgv(argv: readonly string[]): Promise<unknown> {
  return (await parseCommand(argv)).options;
}
