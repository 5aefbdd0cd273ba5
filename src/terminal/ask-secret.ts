/** Asks for a line on the terminal; of a secret, nothing is shown. */
import { StringDecoder } from 'node:string_decoder';
import type { Writable } from 'node:stream';
import { InterruptedError } from '../errors.ts';
import { printable } from '../lib/printable.ts';

/** What is needed of a terminal's input. */
export interface KeyInput extends NodeJS.EventEmitter {
  setRawMode(raw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
}

const enter = /[\r\n\u0004]/;
const ctrlC = '\u0003';
const ctrlU = '\u0015';
const backspace = /[\u0008\u007f]/;
const control = /[\u0000-\u001f]/;

/** Shows what is typed, else like `askSecret`. */
export function askLine(keys: KeyInput, screen: Writable, question: string): Promise<string> {
  return ask(keys, screen, question, (text) => void screen.write(text));
}

/** Ends with Enter, Ctrl-D or the end of the input; Ctrl-C throws `InterruptedError`. Backspace and Ctrl-U correct. */
export function askSecret(keys: KeyInput, screen: Writable, question: string): Promise<string> {
  return ask(keys, screen, question, () => {});
}

type Show = (text: string) => void;
/** Takes the last character off the screen. */
const wipe = '\b \b';

async function ask(keys: KeyInput, screen: Writable, question: string, show: Show): Promise<string> {
  screen.write(printable(question));
  keys.setRawMode(true);
  keys.resume();
  try {
    return await typed(keys, show);
  } finally {
    keys.setRawMode(false);
    keys.pause();
    screen.write('\n');
  }
}

function typed(keys: KeyInput, show: Show): Promise<string> {
  const decoder = new StringDecoder('utf8');
  let answer: string[] = [];
  return new Promise((resolve, reject) => {
    const onEnd = (): void => settle(() => resolve(answer.join('')));
    const onData = (chunk: Buffer): void => {
      const keysTyped = decoder.write(chunk);
      // The arrows and their like begin with Escape: nothing to type into a password.
      if (keysTyped.startsWith('\u001b')) return;
      for (const key of keysTyped) {
        if (enter.test(key)) return settle(() => resolve(answer.join('')));
        if (key === ctrlC) return settle(() => reject(new InterruptedError()));
        if (key === ctrlU) {
          show(wipe.repeat(answer.length));
          answer = [];
        } else if (backspace.test(key)) {
          if (answer.pop() !== undefined) show(wipe);
        } else if (!control.test(key)) {
          answer.push(key);
          show(key);
        }
      }
    };
    const settle = (finish: () => void): void => {
      keys.off('data', onData);
      keys.off('end', onEnd);
      finish();
    };
    keys.on('data', onData);
    keys.on('end', onEnd);
  });
}
