/** A command in, the same out; the errors that it throws advise nothing that its verb cannot do. */
import type { Command } from 'commander';
import type { Action } from '../commands/context.ts';
import { IdportError } from '../errors.ts';

/** `verb` is asked when something has gone wrong; only then is anything loaded for it. */
export function advised<Options>(action: Action<Options>, verb: () => Command): Action<Options> {
  return async (options, context) => {
    try {
      return await action(options, context);
    } catch (error) {
      if (error instanceof IdportError && error.hint !== undefined)
        error.hint = await fit(error.hint, verb());
      throw error;
    }
  };
}

async function fit(hint: string, verb: Command): Promise<string | undefined> {
  const [{ describeVerb }, { fitAdvice }] = await Promise.all([
    import('./shape.ts'),
    import('../usage/advice.ts'),
  ]);
  const path: Command[] = [];
  for (let at: Command | null = verb; at !== null; at = at.parent) path.unshift(at);
  return fitAdvice(
    hint,
    path.map((command) => describeVerb(command)),
  );
}
