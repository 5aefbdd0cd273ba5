/** Sends the entries of a body in requests as large as allowed, until each entry has a result. */
import { createChunks } from '../../targets/bulk/chunk.ts';
import { guessId } from '../../targets/bulk/entry.ts';
import { userLists } from '../../wire/org-entries.ts';
import { deliver } from './deliver.ts';
import { State } from '../../journal/load.ts';
import { type ImportEntry, isEntry, planEntries, type ImportSource, type PlannedEntry } from './entries.ts';
import { tellRejected, tellSkipped } from '../report/run-outputs.ts';
import { addToIdMap, countOther, countResults, reportedOf, type EntryTrouble } from './results.ts';
import { countNoWork, type ImportRun } from './run.ts';
import { TextMarks } from '../../compact/key-table.ts';
import { resultBefore } from '../runs/journal-users.ts';
import { memberTextIn } from '../../wire/member-names.ts';

/**
 * Returns the number of entries for which `left` is false. They are neither sent nor counted. Throws errors that end the run. The
 * journal then has everything that was done.
 */
export async function sendAll(run: ImportRun, left: (entry: ImportEntry) => boolean = () => true) {
  const { source, previous, idMap } = run;
  const builder = createChunks<ImportEntry>(run.body);
  let before = noResults();
  const countBefore = async () => {
    await countResults(run, before);
    before = noResults();
  };
  const send = async () => {
    await countBefore();
    if (builder.size > 0) await deliver(run, builder.take());
  };
  let leftOut = 0;
  const isRepeat = await findRepeatedMembers(source);
  for await (const planned of planEntries(source)) {
    run.signal.throwIfAborted();
    if (isRepeat(planned)) {
      countOther(run, planned.list, 'skipped');
      countNoWork(run, planned.list);
      continue;
    }
    const entry = planned.read();
    if (!isEntry(entry)) {
      const { list, text } = planned;
      const id = guessId(text);
      if (userLists.includes(list)) {
        previous?.see({ id, userName: '' });
        idMap?.add({ oldId: id, newId: '', state: 'failed' });
      }
      await tellRejected(run, reportedOf(run, planned), entry.code, entry.detail);
      countNoWork(run, list);
      continue;
    }
    if (entry.user !== undefined) previous?.see(entry.user);
    if (addResultBefore(run, entry, before)) {
      countNoWork(run, entry.list);
      if (before.entries++ === mostBefore) await countBefore();
      continue;
    }
    if (!left(entry)) {
      run.total -= 1;
      leftOut += 1;
      continue;
    }
    if (!isToSend(run, entry)) {
      await addToIdMap(run, 'existed', [entry]);
      await tellSkipped(run, reportedOf(run, planned, entry), 'user-skipped:unchanged');
      countNoWork(run, entry.list);
      continue;
    }
    if (!builder.fits(entry, run.size.limits)) await send();
    builder.add(entry);
  }
  await send();
  return leftOut;
}

/**
 * Returns false for a user that is as the previous run left it. A changed user that was created by that run is marked to be
 * replaced, because an import changes no user. Other entries are always sent: the service accepts metadata again, and reports
 * that the rest exists.
 */
function isToSend(run: ImportRun, entry: ImportEntry) {
  const { user, number } = entry;
  const before = user && run.previous?.find(user);
  if (before === undefined) return true;
  if (isUnchanged(run, entry)) {
    run.journal.states.set([number], State.unchanged);
    return false;
  }
  // If this run has already sent the user, it has also deleted the old one.
  if (before.createdSince !== undefined && !run.journal.unconfirmed.has(number)) {
    run.replaced.set(number, before);
  }
  return true;
}

/** Reports whether a user is unchanged. The journal names users by their id in the source. */
export function isUnchanged(
  { fingerprints, previous }: Pick<ImportRun, 'fingerprints' | 'previous'>,
  { user, oldId }: ImportEntry,
) {
  const before = user && previous?.find(user);
  return (
    before !== undefined &&
    before.fingerprint === fingerprints.of(oldId ?? user!.id, user!.content(), before.key)
  );
}

/** Entries with a result from before a resume are counted in groups of this size. */
const mostBefore = 1000;

const noResults = () => ({
  entries: 0,
  created: [] as ImportEntry[],
  existed: [] as ImportEntry[],
  failed: [] as EntryTrouble[],
  noted: [] as EntryTrouble[],
});

/** Returns false if the entry has no such result. */
function addResultBefore({ journal }: ImportRun, entry: ImportEntry, results: ReturnType<typeof noResults>) {
  const before = resultBefore(journal, entry.number);
  if (before === undefined || before.state === 'changed') return false;
  const { state, notes, why } = before;
  if (state === 'failed') results.failed.push({ entry, ...why });
  else results[state].push(entry);
  if (state === 'created') results.noted.push(...notes.map((note) => ({ entry, ...note })));
  return true;
}

/** Returns a function that reports whether an entry is a project member that the project's own organization has, too. */
async function findRepeatedMembers(source: ImportSource): Promise<(planned: PlannedEntry) => boolean> {
  const { counts, orgs } = source.scan;
  if (orgs.length < 2 || !counts.has('projectMembers') || !counts.has('projects')) return () => false;
  /** Owning organizations by project. */
  const owners = new Map<string, string>();
  for await (const { text, orgId } of planEntries(source, ['projects'])) owners.set(projectOf(text), orgId);
  const seen = new TextMarks();
  const add = (text: string, mark: number) =>
    seen.add(`${projectOf(text)}\n${memberTextIn(text, 'userId')}`, mark);
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

const projectOf = (text: string) => memberTextIn(text, 'projectId');
