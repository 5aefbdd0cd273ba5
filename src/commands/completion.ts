/** `idport completion`: the shape of the program in, a script for a shell out. */
import { ExitCode } from '../errors.ts';
import { print } from '../storage/print.ts';
import { bashCompletion } from '../usage/completion/bash.ts';
import { fishCompletion } from '../usage/completion/fish.ts';
import { wordsOf } from '../usage/completion/words.ts';
import { zshCompletion } from '../usage/completion/zsh.ts';
import type { VerbShape } from '../usage/shape.ts';
import type { Action } from './context.ts';

export interface CompletionOptions {
  readonly shell: 'bash' | 'zsh' | 'fish';
  readonly program: VerbShape;
}

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export const completion: Action<CompletionOptions> = async ({ shell, program }, { stdout }) => {
  await print(stdout, scripts[shell](wordsOf(program)));
  return ExitCode.done;
};
