/** What a one-by-one import says when it is stopped: that calls still run, and how to resume it. */
import { IdportError, InterruptedError, UsageError } from '../errors.ts';
import type { CommandContext } from './context.ts';

/** The first Ctrl-C lets the running calls finish. */
export function reportInterrupt(context: CommandContext): CommandContext {
  const text =
    'Waiting for the running calls. Press Ctrl-C again to stop at once; --resume then looks them up.';
  context.signal.addEventListener(
    'abort',
    () => context.emit({ type: 'notice', level: 'info', code: 'run:draining', text }),
    { once: true },
  );
  return context;
}

/** Adds the command that resumes the run. */
export function withResume(error: unknown, flags: { readonly typed: string }): unknown {
  if (!(error instanceof IdportError) || error instanceof UsageError) return error;
  if (error.code.startsWith('journal:') && error.code !== 'journal:unwritable') return error;
  const command = flags.typed.includes('--resume') ? flags.typed : `${flags.typed} --resume`;
  const hint = `${error.hint === undefined ? '' : `${error.hint} `}What is done is in the journal; resume with: ${command}`;
  if (error instanceof InterruptedError) return new InterruptedError('interrupted', { hint, cause: error });
  return new IdportError(error.code, error.message, { hint, cause: error });
}
