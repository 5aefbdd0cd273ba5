/** What a bulk import has done, as counts: the summary, the report and the events all read from here. */
import { count, type Counts } from './tally.ts';

/** `total = created + existed + failed + rejected + unchanged + unsent`; `unsent` is 0 at the end of a run. */
export interface ListTally {
  total: number;
  created: number;
  /** Was at the target before this run. */
  existed: number;
  /** The service refused it. */
  failed: number;
  /** Never sent, because the service would have refused the whole request. */
  rejected: number;
  /** As a previous run had left them, and not touched by this one; only of a second pass. */
  unchanged?: number;
  /** Of those created: something about them was not done. Absent for none. */
  withNotes?: number;
}

export type ImportTally = ReturnType<typeof emptyImportTally>;

/** `plan` has the lists, such as `humanUsers` and `userMetadata`, and how many entries each has. */
export function emptyImportTally(plan: Iterable<readonly [list: string, total: number]>) {
  const lists = new Map<string, ListTally>();
  for (const [list, total] of plan) {
    lists.set(list, { total, created: 0, existed: 0, failed: 0, rejected: 0 });
  }
  return {
    lists,
    /** Reason codes of what failed or was rejected. */
    reasons: new Map() as Counts,
    requests: 0,
    /** Requests whose answer was lost and whose users were looked up. */
    lookedUp: 0,
    /** Requests that were refused as a whole and taken apart. */
    takenApart: 0,
  };
}

export type ImportState = 'created' | 'existed' | 'failed' | 'rejected' | 'unchanged';

export function countEntry(tally: ImportTally, list: string, state: ImportState, reason?: string): void {
  const counts = tally.lists.get(list);
  if (counts === undefined) throw new TypeError(`no such list in this run: ${list}`);
  counts[state] = (counts[state] ?? 0) + 1;
  if (reason !== undefined) count(tally.reasons, reason);
}

/** Of an entry that is counted as created. */
export function countNoted({ lists }: ImportTally, list: string): void {
  const counts = lists.get(list);
  if (counts !== undefined) counts.withNotes = (counts.withNotes ?? 0) + 1;
}

/** Users and service accounts together. */
export function sumUsers({ lists }: ImportTally): ListTally {
  const sum: ListTally = { total: 0, created: 0, existed: 0, failed: 0, rejected: 0 };
  for (const list of ['humanUsers', 'machineUsers']) {
    const counts = lists.get(list);
    if (counts === undefined) continue;
    for (const name of Object.keys(counts) as (keyof ListTally)[]) {
      sum[name] = (sum[name] ?? 0) + (counts[name] ?? 0);
    }
  }
  return sum;
}

/** Whether entries failed or were rejected. */
export function hasTrouble({ lists }: ImportTally): boolean {
  return [...lists.values()].some(({ failed, rejected }) => failed + rejected > 0);
}

/** How many have come to an end, whatever it was. */
export function ended({ created, existed, failed, rejected, unchanged = 0 }: ListTally): number {
  return created + existed + failed + rejected + unchanged;
}

export function unsent(counts: ListTally): number {
  return counts.total - ended(counts);
}
