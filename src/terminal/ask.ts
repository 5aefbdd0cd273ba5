/** Asks for a secret at the terminal, even if messages go elsewhere. */
import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { InterruptedError } from '../errors.ts';
import { printable } from '../lib/format.ts';

/** Hides what is typed. Ends with Enter, Ctrl-D or the end of the input. Ctrl-C throws `InterruptedError`. */
export async function askSecret(input: Readable, screen: Writable, question: string): Promise<string> {
  screen.write(printable(question));
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const line = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  try {
    return await new Promise((resolve, reject) => {
      line.once('SIGINT', () => reject(new InterruptedError()));
      line.once('close', () => resolve(line.line));
      line.question('', resolve);
    });
  } finally {
    line.removeAllListeners('close').close();
    screen.write('\n');
  }
}
