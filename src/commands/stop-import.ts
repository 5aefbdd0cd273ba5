/** What a run says that stops before its end: that calls still run, and how to resume it. */
import { type Emit, note } from '../events.ts';
import { IdportError, InterruptedError, UsageError } from '../errors.ts';
import { describeStillActive } from '../flows/runs/journal-users.ts';
import { findJournal } from '../flows/runs/open-journal.ts';
import { withoutFlags } from '../lib/shell-word.ts';
import type { CommandContext } from './context.ts';

export function refuseBoth(resume = false, fresh = false): void {
  if (resume && fresh) throw new UsageError('give either --resume or --fresh, not both');
}

/**
 * Runs an import; the error of one that stops says how to resume it. The first Ctrl-C lets the running calls finish. `atEnd` is
 * called once the run has begun: until then, the journal may belong to another run.
 */
export async function runImport<Value>(
  journal: string,
  context: CommandContext,
  work: (context: CommandContext) => Promise<Value>,
  atEnd: () => Promise<void> = async () => {},
): Promise<Value> {
  let begun = false;
  const emit: Emit = (event) => {
    if (event.type === 'run:start') begun = true;
    context.emit(event);
  };
  const tell = (): void => emit(note('run:draining', draining));
  context.signal.addEventListener('abort', tell, { once: true });
  try {
    return await work({ ...context, emit });
  } catch (error) {
    if (!begun || isAboutJournal(error)) throw error;
    throw withResume(error, await describeStop(journal), context.typed);
  } finally {
    // Programs that use the library may reuse their signal.
    context.signal.removeEventListener('abort', tell);
    if (begun) await atEnd();
  }
}

const draining =
  'Waiting for the running calls. Press Ctrl-C again to stop at once; --resume then looks them up.';

/** Adds `advice` and the command that resumes the run to the hint, except to usage errors. */
export function withResume(error: unknown, advice: string, typed: string): unknown {
  if (!(error instanceof IdportError) || error instanceof UsageError) return error;
  const command = `${withoutFlags(typed, ['resume', 'fresh'])} --resume`;
  const hint = `${error.hint === undefined ? '' : `${error.hint} `}${advice}: ${command}`;
  if (error instanceof InterruptedError) return new InterruptedError('interrupted', { hint, cause: error });
  return new IdportError(error.code, error.message, { hint, cause: error });
}

/** The advice for the run of a journal. */
async function describeStop(path: string): Promise<string> {
  const journal = await findJournal(path).catch(() => undefined);
  const still = journal === undefined ? '' : await describeStillActive(path, journal);
  const first = still === '' ? '' : `${still}. Resuming does that, and undo deletes them. `;
  return `${first}What is done is in the journal; resume with`;
}

/** Whether the journal cannot be resumed, because it belongs to another run or is in use. */
function isAboutJournal(error: unknown): boolean {
  return (
    error instanceof IdportError && error.code.startsWith('journal:') && error.code !== 'journal:unwritable'
  );
}
