/** The rollback of a run in this process, against the reference server. */
import {
  countUndo,
  findStopped,
  undo,
  type PlannedUser,
  type UndoCounts,
  type UndoRequest,
} from '../../src/flows/undo/undo.ts';
import { loadJournal } from '../../src/journal/load.ts';
import { contextOf, type Target } from './users-run.ts';

interface RollBackOptions extends Partial<UndoRequest> {
  /** The journal of the rollback. */
  readonly path?: string;
  readonly report?: (user: PlannedUser) => void;
}

/** Goes on where a rollback stopped. The counts are also those of what became of the users. */
export async function rollBack(
  target: Target,
  journalPath: string,
  { path = `${journalPath}.undo`, report = () => {}, ...more }: RollBackOptions = {},
): Promise<UndoCounts> {
  const journal = await loadJournal(journalPath);
  const stopped = await findStopped(path, journal);
  const request: UndoRequest = {
    client: target.client,
    name: journalPath,
    journalPath,
    journal,
    undoJournal: { path, resume: stopped !== undefined },
    stopped,
    alsoChanged: false,
    concurrency: 3,
    perSecond: undefined,
    ...more,
  };
  const context = contextOf(target);
  const counts = await countUndo(request, context, async (user) => report(user));
  await undo(request, context, counts, counts.there);
  return counts;
}
