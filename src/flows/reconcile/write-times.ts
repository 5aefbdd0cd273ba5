/**
 * When a run can have created a user. The clock that stamps users and the one of the HTTP `Date` headers, which intents
 * have, can be minutes apart: so neither of them decides alone.
 */

import { dirname } from 'node:path';
import type { Client } from '../../api/client.ts';
import { findJournals, readLastWrite } from '../../journal/find-journals.ts';
import { isInRanges, rangesOf } from '../../journal/lines.ts';
import { loadJournal, type JournalProgress } from '../../journal/load.ts';
import { readNewestCreation } from './find-users.ts';
import { readLastAdded } from './event-log.ts';
import { readListTime, waitForList, type ListContext } from './list-lag.ts';
import { warnOfUnreadable } from '../runs/list-runs.ts';
import { note, warning, type NoticeEvent } from '../../events.ts';
import { latest } from '../../lib/clock.ts';

/** Clocks may differ by so much (ms). The user that is found must also have our id, or our user name and email. */
const slack = 5 * 60_000;
/** A request that took a second has written within it (ms). */
export const tolerance = 1000;

export type WriteTimes = ReturnType<typeof createWriteTimes>;

/** `progress`: what the run has learned of the clocks until now. */
export function createWriteTimes(progress: JournalProgress) {
  /** The clock of creations minus the clock of `Date` headers: at most this, as answers have shown. */
  const offset = () => progress.writes?.offset;
  /** Whether a user that was created then can be of a request of any run that was sent at `sentAt`. */
  const isSince = (createdAt: number, sentAt: number) =>
    createdAt >= sentAt + Math.min(0, offset() ?? 0) - slack;
  return {
    isSince,
    /** The same for a request of this run, by what was there before it. */
    isPossible: (createdAt: number, sentAt: number) =>
      createdAt > (progress.header.newestBefore ?? -Infinity) && isSince(createdAt, sentAt),
    /** The latest that `date`, a time by `Date` headers, can be on the clock of creations. */
    latest: (date: number) => date + (offset() ?? slack),
  };
}

/** Waits until the list of users shows what the runs of these journals have written. */
export async function waitForRuns(context: ListContext, paths: readonly string[]) {
  for (const path of paths) {
    const { writes } = await loadJournal(path);
    if (writes !== undefined) await waitForList(context, writes.last);
  }
}

/**
 * Waits until the list of users shows the last user who was added, if the token may read events, and the runs with journals
 * in these folders. Returns whether it does; true, with a note, if neither is known.
 */
export async function waitForWrites(context: ListContext, folders: Iterable<string>): Promise<boolean> {
  const { client, emit } = context;
  const times = [await readLastAdded(client)];
  for (const folder of folders)
    times.push(await readLastUserWriteIn(folder, client.url, warnOfUnreadable(emit)));
  const until = latest(times);
  if (until === undefined) emit(unknownWrite(await readListTime(client)));
  if (until === undefined || until === -Infinity || (await waitForList(context, until))) return true;
  emit(
    warning(
      'list:not-yet',
      "The service's list of users is still behind: users who were added last may be missing.",
    ),
  );
  return false;
}

function unknownWrite(listTime: number | undefined): NoticeEvent {
  const asOf = listTime === undefined ? '' : ` as of ${new Date(listTime).toISOString()}`;
  const text =
    `Users are known from the service's list${asOf}, which may lack those who were added last: the token may not read ` +
    'events (events.read; IAM_OWNER_VIEWER has it), and there is no journal of an import to go by.';
  return note('list:as-of', text);
}

/** When the runs whose journals lie in a folder have last written users: the list of users takes notice of nothing else. */
async function readLastUserWriteIn(
  folder: string,
  url: string,
  onUnreadable: (problem: unknown) => undefined,
) {
  const times: (number | undefined)[] = [];
  for (const { path, header } of await findJournals(folder, onUnreadable, isNamedJournal)) {
    const journal = header.url === url ? await loadJournal(path).catch(onUnreadable) : undefined;
    times.push(journal && (journal.writes?.last ?? -Infinity));
  }
  return latest(times);
}

const isNamedJournal = (name: string) => name.includes('journal');

/**
 * When the runs whose journals lie in a folder have last written, at the service of this address; with `list`, entries of
 * this list alone, as far as the end of a journal has any. Undefined where none says it.
 */
export async function readLastWriteIn(
  folder: string,
  url: string,
  list?: string,
): Promise<number | undefined> {
  const found = await findJournals(folder, () => undefined, isNamedJournal);
  const times = found.map(({ path, header }) => {
    if (header.url !== url) return undefined;
    const ranges = rangesOf(header).filter((range) => range.list === list);
    const isOfList = (entry: number) => isInRanges(ranges, entry);
    return readLastWrite(path, ({ created }) => list === undefined || created.some(isOfList));
  });
  return latest(times);
}

/**
 * For the header of a new journal: users that are there before the run's first request are never its own. Lists lag, so
 * the journals of runs before, next to this one, count as well.
 */
export async function readNewestBefore(client: Client, journal: string): Promise<number | undefined> {
  return latest([await readNewestCreation(client), await readLastWriteIn(dirname(journal), client.url)]);
}
