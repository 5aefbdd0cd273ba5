/** Asks for yes or no on the terminal, by one key; Enter is yes. */
import type { Writable } from 'node:stream';
import { InterruptedError } from '../errors.ts';
import { printable } from '../lib/printable.ts';
import type { KeyInput } from './ask-secret.ts';

const answers: readonly (readonly [keys: RegExp, answer: boolean])[] = [
  [/[yY\r\n]/, true],
  // The end of the input is not a yes.
  [/[nN\u0004\u001b]/, false],
];
const ctrlC = '\u0003';

/** Other keys are ignored; Ctrl-C throws `InterruptedError`. */
export async function askYes(keys: KeyInput, screen: Writable, question: string): Promise<boolean> {
  screen.write(`${printable(question)} [Y/n] `);
  keys.setRawMode(true);
  keys.resume();
  let answer: boolean | undefined;
  try {
    answer = await pressed(keys);
  } finally {
    keys.setRawMode(false);
    keys.pause();
    screen.write(answer === undefined ? '\n' : `${answer ? 'yes' : 'no'}\n`);
  }
  return answer;
}

function pressed(keys: KeyInput): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      keys.off('data', onData);
      keys.off('end', onEnd);
      finish();
    };
    const onEnd = (): void => settle(() => resolve(false));
    const onData = (chunk: Buffer): void => {
      for (const key of chunk.toString()) {
        if (key === ctrlC) return settle(() => reject(new InterruptedError()));
        const found = answers.find(([keys]) => keys.test(key));
        if (found !== undefined) return settle(() => resolve(found[1]));
      }
    };
    keys.on('data', onData);
    keys.on('end', onEnd);
  });
}
