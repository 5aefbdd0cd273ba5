/** `idport completion`: prints a completion script. */
import { Argument, type Command } from 'commander';
import type { CompletionOptions } from '../completion/command.ts';
import { describeVerb } from '../shape.ts';
import { rootOf, type DeclareVerb } from '../verb.ts';

export const declareCompletion: DeclareVerb = (program, dispatch) => {
  program
    .command('completion')
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .examples(
      'source <(idport completion bash)',
      'idport completion zsh > "${fpath[1]}/_idport"',
      'idport completion fish > ~/.config/fish/completions/idport.fish',
    )
    .action(async (shell: CompletionOptions['shell'], _options: object, command: Command) => {
      return dispatch(async () => (await import('../completion/command.ts')).completion, {
        shell,
        program: describeVerb(rootOf(command)),
      });
    });
};
