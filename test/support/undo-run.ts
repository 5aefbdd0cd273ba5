/** The rollback of a run in this process, against the reference server. */
import { countUndo, undo, type UndoRequest } from '../../src/flows/undo/undo.ts';
import { findUndo } from '../../src/flows/runs/open-journal.ts';
import { loadJournal } from '../../src/journal/load.ts';
import { contextOf } from './service.ts';
import type { Target } from './users-run.ts';

/** Who would be deleted. Goes on where a rollback stopped. */
export async function lookAtUndo(target: Target, journalPath: string, more: Partial<UndoRequest> = {}) {
  const journal = await loadJournal(journalPath);
  const found = await findUndo(journal);
  const stopped = found?.finished === true ? undefined : found;
  const request: UndoRequest = {
    client: target.client,
    name: journalPath,
    journal,
    createdOrgs: 'keep',
    undoJournal: { path: `${journalPath}.undo`, resume: stopped !== undefined },
    stopped,
    alsoChanged: false,
    concurrency: 3,
    perSecond: undefined,
    wait: 600_000,
    ...more,
  };
  const context = contextOf(target);
  const told: string[] = [];
  const counts = await countUndo(request, context, async (user) => {
    told.push(`${user.willGo ? '-' : '='} ${user.created.userName} ${user.status}`);
  });
  const confirm = async () => {
    await undo(request, context, counts, counts.toConfirm);
    return counts;
  };
  return {
    counts,
    /** `- ann ours` goes, `= bob changed` stays. */
    told,
    /** Deletes those who were counted, and adds to the counts. */
    confirm,
  };
}

/** The counts are also those of what became of the users. */
export const rollBack = async (...run: Parameters<typeof lookAtUndo>) => (await lookAtUndo(...run)).confirm();
