/** Asks on the terminal by single keys: for a line, of which a secret shows nothing, and for yes or no. */
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
/** Takes the last character off the screen. */
const wipe = '\b \b';

/** Shows what is typed, else like `askSecret`. */
export function askLine(keys: KeyInput, screen: Writable, question: string): Promise<string> {
  return ask(keys, screen, question, (text) => void screen.write(text));
}

/** Ends with Enter, Ctrl-D or the end of the input; Ctrl-C throws `InterruptedError`. Backspace and Ctrl-U correct. */
export function askSecret(keys: KeyInput, screen: Writable, question: string): Promise<string> {
  return ask(keys, screen, question, () => {});
}

async function ask(
  keys: KeyInput,
  screen: Writable,
  question: string,
  show: (text: string) => void,
): Promise<string> {
  let answer: string[] = [];
  screen.write(printable(question));
  const onKeys = (typed: string): string | undefined => {
    // The arrows and their like begin with Escape: nothing to type into a password.
    if (typed.startsWith('\u001b')) return undefined;
    for (const key of typed) {
      if (enter.test(key)) return answer.join('');
      if (key === ctrlC) throw new InterruptedError();
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
    return undefined;
  };
  try {
    return await read(keys, onKeys, () => answer.join(''));
  } finally {
    screen.write('\n');
  }
}

const answers: readonly (readonly [keys: RegExp, answer: boolean])[] = [
  [/[yY\r\n]/, true],
  // The end of the input is not a yes.
  [/[nN\u0004\u001b]/, false],
];

/** By one key; Enter is yes. Other keys are ignored; Ctrl-C throws `InterruptedError`. */
export async function askYes(keys: KeyInput, screen: Writable, question: string): Promise<boolean> {
  screen.write(`${printable(question)} [Y/n] `);
  let answer: boolean | undefined;
  const onKeys = (typed: string): boolean | undefined => {
    for (const key of typed) {
      if (key === ctrlC) throw new InterruptedError();
      const found = answers.find(([keys]) => keys.test(key));
      if (found !== undefined) return found[1];
    }
    return undefined;
  };
  try {
    answer = await read(keys, onKeys, () => false);
  } finally {
    screen.write(answer === undefined ? '\n' : `${answer ? 'yes' : 'no'}\n`);
  }
  return answer;
}

/** Until `onKeys` has an answer, or throws; `atEnd` is the answer at the end of the input. */
async function read<Answer>(
  keys: KeyInput,
  onKeys: (typed: string) => Answer | undefined,
  atEnd: () => Answer,
): Promise<Answer> {
  const decoder = new StringDecoder('utf8');
  const listeners: [event: string, listener: (chunk: Buffer) => void][] = [];
  keys.setRawMode(true);
  keys.resume();
  try {
    return await new Promise((resolve, reject) => {
      const onData = (chunk: Buffer): void => {
        try {
          const answer = onKeys(decoder.write(chunk));
          if (answer !== undefined) resolve(answer);
        } catch (error) {
          reject(error);
        }
      };
      listeners.push(['data', onData], ['end', () => resolve(atEnd())]);
      for (const [event, listener] of listeners) keys.on(event, listener);
    });
  } finally {
    for (const [event, listener] of listeners) keys.off(event, listener);
    keys.setRawMode(false);
    keys.pause();
  }
}
