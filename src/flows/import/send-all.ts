/** Sends the entries of a body in requests as large as they may be, until each entry has a result. */
import { State } from '../../journal/load.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { ChunkBuilder } from '../../targets/bulk/chunk.ts';
import { guessId } from '../../targets/bulk/entry.ts';
import { userLists } from '../../wire/org-entries.ts';
import { deliver } from './deliver.ts';
import { isToSend } from './replace-changed.ts';
import { type ImportEntry, isEntry, planEntries, type ImportSource, type PlannedEntry } from './entries.ts';
import { tellRejected, tellSkipped } from '../report/results.ts';
import { atOnce, countOther, countResults, reportedOf, type Results } from './results.ts';
import { countBefore, type ImportRun } from './run.ts';
import { TextMarks } from '../../compact/text-table.ts';
import { memberTextIn } from '../../wire/member-names.ts';

/**
 * Entries for which `left` is false are neither sent nor counted: returns how many. Throws what ends the run; the journal then
 * has everything that was done.
 */
export async function sendAll(
  run: ImportRun,
  left: (entry: ImportEntry) => boolean = () => true,
): Promise<number> {
  const { source, previous, repeats } = run;
  const builder = new ChunkBuilder<ImportEntry>(run.body);
  let before: Results[] = [];
  const countAllBefore = async (): Promise<void> => {
    await forEachConcurrent(before, atOnce, (results) => countResults(run, results));
    before = [];
  };
  const send = async (): Promise<void> => {
    await countAllBefore();
    if (builder.size > 0) await deliver(run, builder.take());
  };
  let leftOut = 0;
  const isRepeat = await findRepeatedMembers(source);
  for await (const planned of planEntries(source)) {
    run.signal.throwIfAborted();
    if (isRepeat(planned)) {
      countOther(run, planned.list, 'skipped');
      countBefore(run, planned.list);
      continue;
    }
    const entry = planned.read();
    if (!isEntry(entry)) {
      const { list, text } = planned;
      if (userLists.includes(list)) previous?.see({ id: guessId(text), userName: '' });
      await tellRejected(run, reportedOf(run, planned), entry.code, entry.detail);
      countBefore(run, list);
      continue;
    }
    if (entry.user !== undefined) previous?.see(entry.user);
    repeats.add(entry);
    const result = resultBefore(run, entry);
    if (result !== undefined) {
      countBefore(run, entry.list);
      if (before.push(result) === 1000) await countAllBefore();
      continue;
    }
    if (!left(entry)) {
      run.total -= 1;
      leftOut += 1;
      continue;
    }
    if (!isToSend(run, entry)) {
      await tellSkipped(run, reportedOf(run, planned, entry), 'user-skipped:unchanged');
      countBefore(run, entry.list);
      continue;
    }
    if (!builder.fits(entry, run.size.limits)) await send();
    builder.add(entry);
  }
  await send();
  return leftOut;
}

/** Of an entry that has a result from before a resume. */
function resultBefore({ journal: { states, troubles } }: ImportRun, entry: ImportEntry): Results | undefined {
  const found = (troubles.get(entry.number) ?? []).map(({ code, detail }) => ({
    entry,
    code: code as ReasonCode,
    detail,
  }));
  switch (states.get(entry.number)) {
    case State.created:
      return { created: [entry], noted: found };
    case State.existed:
      return { existed: [entry] };
    case State.failed:
      return { failed: [found.at(-1) ?? { entry, code: 'import:refused', detail: '' }] };
    default:
      return undefined;
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
