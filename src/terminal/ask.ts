/** Asks at the terminal for a line, a secret, or yes or no. */
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { InterruptedError } from '../errors.ts';
import { printable } from '../lib/format.ts';

/** Ends with Enter, Ctrl-D or the end of the input; Ctrl-C throws `InterruptedError`. */
export function askLine(keys: Readable, screen: Writable, question: string): Promise<string> {
  return ask(keys, screen, question, (typed) => typed);
}

/** Hides what is typed. */
export async function askSecret(keys: Readable, screen: Writable, question: string): Promise<string> {
  screen.write(printable(question));
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await askLine(keys, nowhere, '');
  } finally {
    screen.write('\n');
  }
}

/** An empty line means yes; the end of the input means no. */
export async function askYes(keys: Readable, screen: Writable, question: string): Promise<boolean> {
  const answer = await ask(keys, screen, `${question} [Y/n] `, () => 'no');
  return /^(?:y|yes)?$/i.test(answer.trim());
}

/** `atEnd` gets what was typed before the input ended. */
async function ask(
  input: Readable,
  output: Writable,
  question: string,
  atEnd: (typed: string) => string,
): Promise<string> {
  const line = createInterface({ input, output, terminal: true, historySize: 0 });
  try {
    return await new Promise((resolve, reject) => {
      line.once('SIGINT', () => {
        output.write('\n');
        reject(new InterruptedError());
      });
      line.once('close', () => {
        output.write('\n');
        resolve(atEnd(line.line));
      });
      line.question(printable(question), resolve);
    });
  } finally {
    line.removeAllListeners('close').close();
  }
}
