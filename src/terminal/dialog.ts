/** Asks with lists and checked answers at a terminal. */
import type { Readable, Writable } from 'node:stream';
import { confirm, isCancel, log, password, select, text } from '@clack/prompts';
import type { Dialog } from '../lib/dialog.ts';
import { InterruptedError } from '../errors.ts';

export function createDialog(input: Readable, output: Writable): Dialog {
  const io = { input, output };
  return {
    choose: async (message, choices, initial) =>
      answered(
        await select({
          ...io,
          message,
          options: choices.map(({ value, label }) => ({ value, label })),
          ...(initial === undefined ? {} : { initialValue: initial }),
        }),
      ),
    text: async (message, { initial, check } = {}) =>
      answered(
        await text({
          ...io,
          message,
          ...(initial === undefined ? {} : { initialValue: initial }),
          validate: (answer = '') => check?.(answer.trim()),
        }),
      ).trim(),
    secret: async (message) => answered(await password({ ...io, message })).trim(),
    confirm: async (message) => answered(await confirm({ ...io, message })),
    say: (message) => log.info(message, { output }),
  };
}

function answered<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (isCancel(answer)) throw new InterruptedError('interrupted', 'Nothing was written.');
  return answer as Exclude<Answer, symbol>;
}
