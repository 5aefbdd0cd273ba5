/** A body and its run in; every entry of it settled out, in requests as large as they may be. */
import { State } from '../../journal/states.ts';
import { countEntry } from '../../records/import-tally.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { ChunkBuilder } from '../../targets/bulk/chunk.ts';
import type { Entry, Unfit } from '../../targets/bulk/entry.ts';
import { userLists } from '../../wire/org-entries.ts';
import type { Earlier } from '../incremental/previous-runs.ts';
import { deliver } from './deliver.ts';
import { isWanted } from './replace-changed.ts';
import { guessId, planEntries, type ImportSource } from './entries.ts';
import type { RepeatWatch } from './repeats.ts';
import { countExisting, end, type ImportRun } from './run.ts';

export interface SendRules {
  readonly repeats: RepeatWatch;
  /** Earlier runs, with which the people are compared. */
  readonly earlier?: Earlier | undefined;
  /** Entries for which this is false are neither sent nor counted. */
  readonly left?: (entry: Entry) => boolean;
}

/**
 * Throws what ends the run; the journal then has everything that was done. Returns how many were passed over by `left`.
 */
export async function sendAll(
  run: ImportRun,
  source: ImportSource,
  { repeats, earlier, left = () => true }: SendRules,
): Promise<number> {
  const builder = new ChunkBuilder(run.body);
  let passed = 0;
  for await (const planned of planEntries(source)) {
    run.signal.throwIfAborted();
    const entry = planned.read();
    if (!isEntry(entry)) {
      const { code, detail } = entry;
      const { number, list, text } = planned;
      const id = guessId(text);
      if (userLists.includes(list)) earlier?.see({ id, userName: '' });
      end(run, { number, list, id }, { outcome: 'rejected', code, detail });
      continue;
    }
    if (entry.person !== undefined) earlier?.see(entry.person);
    repeats.watch(entry);
    if (countDone(run, entry)) continue;
    if (!left(entry)) {
      run.tally.lists.get(entry.list)!.total -= 1;
      passed += 1;
      continue;
    }
    if (earlier !== undefined && !isWanted(run, earlier, entry)) continue;
    if (!builder.fits(entry, run.size.limits)) await deliver(run, builder.take());
    builder.add(entry);
  }
  if (builder.size > 0) await deliver(run, builder.take());
  return passed;
}

export function isEntry(entry: Entry | Unfit): entry is Entry {
  return 'text' in entry;
}

/** Entries that an earlier run has settled are counted and not sent again. */
function countDone(run: ImportRun, entry: Entry): boolean {
  const { states, troubles } = run.journal;
  const { code = 'import:refused', detail = '' } = troubles.get(entry.number) ?? {};
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
