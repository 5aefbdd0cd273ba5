/** The messages of a stopped one-by-one import: that calls still run, and how to resume. */
import { note } from '../events.ts';
import { IdportError, InterruptedError, UsageError } from '../errors.ts';
import { describeStillActive } from '../flows/runs/journal-users.ts';
import { findJournal } from '../flows/runs/open-journal.ts';
import type { CommandContext } from './context.ts';

/** The first Ctrl-C lets the running calls finish. */
export async function reportInterrupt<Value>(
  context: CommandContext,
  work: (context: CommandContext) => Promise<Value>,
): Promise<Value> {
  const text =
    'Waiting for the running calls. Press Ctrl-C again to stop at once; --resume then looks them up.';
  const tell = (): void => context.emit(note('run:draining', text));
  context.signal.addEventListener('abort', tell, { once: true });
  try {
    return await work(context);
  } finally {
    // Programs that use the library may reuse their signal.
    context.signal.removeEventListener('abort', tell);
  }
}

export function resumeCommand(typed: string): string {
  return typed.includes('--resume') ? typed : `${typed} --resume`;
}

/** Adds `advice` and the command that resumes the run to the hint, except to usage errors. */
export function withResume(error: unknown, advice: string, typed: string): unknown {
  if (!(error instanceof IdportError) || error instanceof UsageError) return error;
  const hint = `${error.hint === undefined ? '' : `${error.hint} `}${advice}: ${resumeCommand(typed)}`;
  if (error instanceof InterruptedError) return new InterruptedError('interrupted', { hint, cause: error });
  return new IdportError(error.code, error.message, { hint, cause: error });
}

/** The advice for the run of a journal. */
export async function describeStop(path: string): Promise<string> {
  const journal = await findJournal(path).catch(() => undefined);
  const still = journal === undefined ? '' : await describeStillActive(path, journal);
  const first = still === '' ? '' : `${still}. Resuming does that, and undo deletes them. `;
  return `${first}What is done is in the journal; resume with`;
}

/** Whether the journal cannot be resumed, because it belongs to another run or is in use. */
export function isAboutJournal(error: unknown): boolean {
  return (
    error instanceof IdportError && error.code.startsWith('journal:') && error.code !== 'journal:unwritable'
  );
}
