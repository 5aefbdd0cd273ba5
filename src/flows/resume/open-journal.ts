/** A path and what a run is about in; its journal out: a new one, or that of an earlier run to go on with. */
import { UsageError } from '../../errors.ts';
import type { Emit } from '../../events.ts';
import {
  createJournal,
  findDifference,
  resumeJournal,
  setAside,
  type Journal,
} from '../../journal/journal.ts';
import { formatCounted } from '../../lib/quantity.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import { loadJournal, type LoadedJournal } from '../../journal/load.ts';
import { State } from '../../journal/states.ts';
import { describeProgress } from './progress.ts';

export interface JournalPlace {
  readonly path: string;
  /** Go on with what is there. */
  readonly resume: boolean;
  /** Asks whether to go on with an earlier run that did not come to its end; absent where nobody can answer. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined;
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
export async function openJournal(place: JournalPlace, header: JournalHeader, emit: Emit): Promise<Journal> {
  const { path, resume } = place;
  const earlier = await findJournal(path);
  if (resume) {
    if (earlier === undefined) {
      throw new UsageError(`there is no journal to resume: ${path}`, {
        hint: 'Run it without --resume, or name the journal with --journal.',
      });
    }
    await refuseUndone(path, earlier.header);
    return resumeJournal(path, header);
  }
  if (earlier?.finished === false) {
    const difference = findDifference(earlier.header, header);
    if (difference !== undefined || !(await agrees(place, earlier))) throw unfinished(path, difference);
    await refuseUndone(path, earlier.header);
    return resumeJournal(path, header);
  }
  if (earlier !== undefined) {
    const text = `The journal of the earlier run is kept as ${setAside(path)}.`;
    emit({ type: 'notice', level: 'info', code: 'journal:kept', text });
  }
  return createJournal(path, header);
}

/** The journal still says of the people that they were created; whoever believed it would bring nobody back. */
async function refuseUndone(path: string, { startedAt }: JournalHeader): Promise<void> {
  const undone = await findJournal(`${path}.undo`);
  if (undone?.header.settings['startedAt'] !== String(startedAt)) return;
  const deleted = undone.states.count(State.created);
  if (deleted === 0) return;
  throw new UsageError(
    `${path} is of a run that was taken back: idport undo deleted ${formatCounted(deleted, 'person', 'people')}`,
    { hint: 'Begin a new run: without this journal, and with another one named with --journal.' },
  );
}

/**
 * Before anything is done that an earlier run would not get over: true where that run is to be gone on with. Throws
 * `UsageError` for one that stopped and is not to be gone on with.
 */
export async function mustResume(place: JournalPlace): Promise<boolean> {
  if (place.resume) return true;
  const earlier = await findJournal(place.path);
  if (earlier?.finished !== false) return false;
  if (await agrees(place, earlier)) return true;
  throw unfinished(place.path, undefined);
}

/** A person in front of a terminal is asked; a script has to say it. */
async function agrees({ path, ask }: JournalPlace, journal: LoadedJournal): Promise<boolean> {
  if (ask === undefined) return false;
  const progress = describeProgress(journal);
  return ask(`An earlier run stopped before its end: ${progress} (${path}). Go on with it?`);
}

function unfinished(path: string, difference: string | undefined): UsageError {
  if (difference !== undefined) {
    return new UsageError(
      `${path} is the journal of another run that did not come to its end: ${difference}`,
      {
        hint: `Name another file with --journal. If that run is not to be gone on with, remove ${path}.`,
      },
    );
  }
  return new UsageError(`an earlier run did not come to its end (${path})`, {
    hint: `Go on with it: the same command with --resume. To begin anew all the same, remove ${path}.`,
  });
}
