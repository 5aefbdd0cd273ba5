/** `idport explain`: explains a code of a report or a message. */
import type { Command } from 'commander';
import type { DeclareVerb } from '../verb.ts';

export const declareExplain: DeclareVerb = (program, dispatch) => {
  program
    .command('explain')
    .description('explain a reason code or an error id of the service, and what to do')
    .argument('[codes...]', 'reason codes (password:none) and error ids (COMMAND-ziuna)')
    .option('--list', 'list all codes')
    .examples(
      'idport explain password:none',
      'idport explain COMMAND-ziuna V3-DKcYh',
      'idport explain --list | grep otp',
    )
    .action((codes: string[], { list = false }: { list?: boolean }, command: Command) =>
      dispatch(async () => (await import('../../commands/explain.ts')).explain, {
        codes,
        list,
        json: command.optsWithGlobals<{ json?: boolean }>().json ?? false,
      }),
    );
};
