/** A path and what a run is about in; its journal out: a new one, or that of an earlier run to go on with. */
import { UsageError } from '../errors.ts';
import type { Emit } from '../events.ts';
import { createJournal, resumeJournal, setAside, type Journal } from '../journal/journal.ts';
import type { JournalHeader } from '../journal/lines.ts';
import { loadJournal, type LoadedJournal } from '../journal/load.ts';

export interface JournalPlace {
  readonly path: string;
  readonly resume: boolean;
}

/** Undefined where there is no file. Throws `journal:*` for one that is damaged or no journal. */
export async function findJournal(path: string): Promise<LoadedJournal | undefined> {
  try {
    return await loadJournal(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * A finished journal is kept under another name; an unfinished one must be gone on with. Throws `UsageError` where
 * the file and `resume` do not fit, `journal:other-run` where it is about something else.
 */
export async function openJournal(
  { path, resume }: JournalPlace,
  header: JournalHeader,
  emit: Emit,
): Promise<Journal> {
  const earlier = await findJournal(path);
  if (resume) {
    if (earlier === undefined) {
      throw new UsageError(`there is no journal to resume: ${path}`, {
        hint: 'Run it without --resume, or name the journal with --journal.',
      });
    }
    return resumeJournal(path, header);
  }
  if (earlier?.finished === false) {
    throw new UsageError(`an earlier run did not come to its end (${path})`, {
      hint: `Go on with it: the same command with --resume. To begin anew all the same, remove ${path}.`,
    });
  }
  if (earlier !== undefined) {
    const text = `The journal of the earlier run is kept as ${setAside(path)}.`;
    emit({ type: 'notice', level: 'info', code: 'journal:kept', text });
  }
  return createJournal(path, header);
}
