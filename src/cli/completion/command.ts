/** `idport completion`: prints the script for a shell. */
import { ExitCode } from '../../errors.ts';
import { print } from '../../storage/stream-sink.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { wordsOf } from './words.ts';
import { zshCompletion } from './zsh.ts';
import type { VerbShape } from '../shape.ts';
import type { Action } from '../../commands/context.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

/** Of the whole program. */
export const completionOf =
  (program: VerbShape): Action<{ readonly shell: keyof typeof scripts }> =>
  async ({ shell }, { stdout }) => {
    await print(stdout, scripts[shell](wordsOf(program)));
    return ExitCode.done;
  };
