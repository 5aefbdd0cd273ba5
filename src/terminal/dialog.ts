/** Asks at a terminal, even if messages go elsewhere: for a secret, or with lists and checked answers. */
import { type Key, createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { confirm, isCancel, log, password, select, text } from '@clack/prompts';
import type { Dialog } from '../lib/dialog.ts';
import { InterruptedError } from '../errors.ts';
import { printable } from '../lib/format.ts';

export function createDialog(input: Readable, output: Writable): Dialog {
  /** Ctrl-D and the end of a closed terminal count as Ctrl-C, a line feed counts as Enter. */
  const ask = async <Answer>(message: string, show: (asked: Asked) => Promise<Answer>) => {
    const gone = new AbortController();
    const end = () => gone.abort();
    // Runs before the question gets the key.
    const onKey = (_: string, key: Key) => {
      if (key.ctrl && key.name === 'd') end();
      if (key.name === 'enter') key.name = 'return';
    };
    input.on('keypress', onKey).on('end', end);
    const answer = await show({ input, output, signal: gone.signal, message: printable(message) });
    input.off('keypress', onKey).off('end', end);
    if (isCancel(answer)) throw new InterruptedError('interrupted', 'Nothing was written.');
    return answer as Exclude<Answer, symbol>;
  };
  return {
    choose: (message, choices) =>
      ask(message, (asked) =>
        select({
          ...asked,
          options: choices.map(({ value, label }) => ({ value, label: printable(label) })),
        }),
      ),
    text: async (message, { initial, check } = {}) => {
      const answer = await ask(message, (asked) =>
        text({
          ...asked,
          ...(initial !== undefined && { initialValue: initial }),
          validate: (typed = '') => check?.(typed.trim()),
        }),
      );
      return answer.trim();
    },
    secret: async (message) => (await ask(message, password)).trim(),
    confirm: (message) => ask(message, confirm),
    say: (message) => log.info(message, { output }),
  };
}

interface Asked {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
  readonly message: string;
}

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
