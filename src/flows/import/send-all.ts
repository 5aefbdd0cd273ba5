/** Sends the entries of a body in requests as large as they may be, until each entry has a result. */
import { State } from '../../journal/load.ts';
import { countEntry } from '../../records/import-tally.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { ChunkBuilder } from '../../targets/bulk/chunk.ts';
import { guessId, type Entry } from '../../targets/bulk/entry.ts';
import { userLists } from '../../wire/org-entries.ts';
import { deliver } from './deliver.ts';
import { isToSend } from './replace-changed.ts';
import { isEntry, planEntries, type ImportSource, type PlannedEntry } from './entries.ts';
import { countExisting, end, type ImportRun } from './run.ts';
import { TextMarks } from '../../compact/text-table.ts';
import { memberTextIn } from '../../wire/member-names.ts';

/**
 * Entries for which `left` is false are neither sent nor counted: returns how many. Throws what ends the run; the journal then
 * has everything that was done.
 */
export async function sendAll(run: ImportRun, left: (entry: Entry) => boolean = () => true): Promise<number> {
  const { source, previous, repeats } = run;
  const builder = new ChunkBuilder(run.body);
  let leftOut = 0;
  const isRepeat = await findRepeatedMembers(source);
  for await (const planned of planEntries(source)) {
    run.signal.throwIfAborted();
    if (isRepeat(planned)) {
      countEntry(run.tally, planned.list, 'existed');
      continue;
    }
    const entry = planned.read();
    if (!isEntry(entry)) {
      const { code, detail } = entry;
      const { number, list, text } = planned;
      const id = guessId(text);
      if (userLists.includes(list)) previous?.see({ id, userName: '' });
      end(run, { number, list, id }, { outcome: 'rejected', code, detail });
      continue;
    }
    if (entry.user !== undefined) previous?.see(entry.user);
    if (entry.user?.losesVerification === true) run.unverified += 1;
    repeats.add(entry);
    if (countDone(run, entry)) {
      run.doneBefore.entries += 1;
      if (entry.user !== undefined) run.doneBefore.users += 1;
      continue;
    }
    if (!left(entry)) {
      run.tally.lists.get(entry.list)!.total -= 1;
      leftOut += 1;
      continue;
    }
    if (!isToSend(run, entry)) continue;
    if (!builder.fits(entry, run.size.limits)) await deliver(run, builder.take());
    builder.add(entry);
  }
  if (builder.size > 0) await deliver(run, builder.take());
  return leftOut;
}

/** Entries that have a result from before a resume are counted and not sent again. */
function countDone(run: ImportRun, entry: Entry): boolean {
  const { states, troubles } = run.journal;
  const { code = 'import:refused', detail = '' } = troubles.get(entry.number)?.at(-1) ?? {};
  const trouble = { code: code as ReasonCode, detail };
  switch (states.get(entry.number)) {
    case State.created:
      countEntry(run.tally, entry.list, 'created');
      if (troubles.has(entry.number)) end(run, entry, { outcome: 'noted', ...trouble });
      return true;
    case State.existed:
      countExisting(run, entry);
      return true;
    case State.failed:
      end(run, entry, { outcome: 'failed', ...trouble });
      return true;
    default:
      return false;
  }
}

/** Whether an entry is a project member whom the organization of the project has as well. */
async function findRepeatedMembers(source: ImportSource): Promise<(planned: PlannedEntry) => boolean> {
  const { counts, orgs } = source.scan;
  if (orgs.length < 2 || !counts.has('projectMembers') || !counts.has('projects')) return () => false;
  /** Organizations by project. */
  const owners = new Map<string, string>();
  for await (const { text, orgId } of planEntries(source, ['projects'])) {
    owners.set(projectOf(text), orgId);
  }
  const seen = new TextMarks();
  const add = (text: string, mark: number): number => seen.add(`${projectOf(text)}\n${userOf(text)}`, mark);
  for await (const { text, orgId } of planEntries(source, ['projectMembers']))
    if (owners.get(projectOf(text)) === orgId) add(text, inOwnOrg);
  return ({ list, orgId, text }) => {
    if (list !== 'projectMembers') return false;
    const owner = owners.get(projectOf(text));
    return owner !== undefined && owner !== orgId && add(text, elsewhere) === inOwnOrg;
  };
}

const inOwnOrg = 1;
const elsewhere = 2;

const projectOf = (text: string): string => memberTextIn(text, 'projectId');
const userOf = (text: string): string => memberTextIn(text, 'userId');
