/** A command line in, the command and the options that it would get out; nothing runs. */
import type { Raw, Run } from '../../src/cli/verb.ts';
import { createProgram } from '../../src/cli/program.ts';

export interface ParsedCommand {
  readonly action: Run;
  readonly options: Raw;
}

export async function parseCommand(argv: readonly string[]): Promise<ParsedCommand> {
  const found: ParsedCommand[] = [];
  const program = createProgram(
    '0.0.0',
    async (load, options) => {
      found.push({ action: await load(), options });
    },
    { out: () => {}, err: () => {} },
  );
  await program.parseAsync(argv, { from: 'user' });
  const [command] = found;
  if (command === undefined) throw new Error(`${argv.join(' ')} runs no command`);
  return command;
}

export async function parseArgv(argv: readonly string[]): Promise<unknown> {
  return (await parseCommand(argv)).options;
}
