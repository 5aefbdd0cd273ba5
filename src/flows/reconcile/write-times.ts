/**
 * Decides when a run can have created a user. The clock that stamps users and that of the HTTP `Date` headers, which intents
 * have, can be minutes apart, so neither decides alone.
 */

import { dirname } from 'node:path';
import type { Client } from '../../api/client.ts';
import { findJournals, readLastWrite, loadJournal, type JournalProgress } from '../../journal/load.ts';
import { isInRanges, rangesOf } from '../../journal/lines.ts';
import { readNewestCreation } from './find-users.ts';
import { readLastAdded } from './event-log.ts';
import { asOf, readListTime, waitForList, type ListContext } from './list-lag.ts';
import { warnOfUnreadable } from '../runs/list-runs.ts';
import { note, warning } from '../../events.ts';
import { latest } from '../../lib/clock.ts';

/** Tolerance between clocks, in milliseconds. A found user must also have our id, or our user name and email. */
const slack = 5 * 60_000;
/** Tolerance for the time of a write, in milliseconds: a request that took a second wrote within it. */
export const tolerance = 1000;

export type WriteTimes = ReturnType<typeof createWriteTimes>;

/** `progress`: what the run has learned about the clocks so far. */
export function createWriteTimes(progress: JournalProgress) {
  /** Returns the most by which the clock of creations is ahead of the clock of `Date` headers, as answers have shown. */
  const offset = () => progress.writes?.offset;
  /** Reports whether a user created at this time can come from a request of any run that was sent at `sentAt`. */
  const isSince = (createdAt: number, sentAt: number) =>
    createdAt >= sentAt + Math.min(0, offset() ?? 0) - slack;
  return {
    isSince,
    /** Does the same for a request of this run, excluding users that existed before it. */
    isPossible: (createdAt: number, sentAt: number) =>
      createdAt > (progress.header.newestBefore ?? -Infinity) && isSince(createdAt, sentAt),
    /** Returns the latest time on the clock of creations for `date`, a time by `Date` headers. */
    latest: (date: number) => date + (offset() ?? slack),
  };
}

/**
 * Waits until the list of users shows the last added user, if the token may read events, and the runs with journals in these
 * folders. Returns whether it does. True, with a note, if neither is known.
 */
export async function waitForWrites(context: ListContext, folders: Iterable<string>) {
  const { client, emit } = context;
  const times = [await readLastAdded(client)];
  for (const folder of folders)
    times.push(await readLastUserWriteIn(folder, client.url, warnOfUnreadable(emit)));
  const until = latest(times);
  if (until === undefined) {
    const text = `Users are known from the service's list${asOf(await readListTime(client))}, which may lack those who were added last: the token may not read events (events.read; IAM_OWNER_VIEWER has it), and there is no journal of an import to go by.`;
    emit(note('list:as-of', text));
  }
  if (until === undefined || until === -Infinity || (await waitForList(context, until))) return true;
  emit(
    warning(
      'list:not-yet',
      "The service's list of users is still behind: users who were added last may be missing.",
    ),
  );
  return false;
}

/** Returns when runs with journals in a folder last wrote users, since the list of users reflects nothing else. */
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
 * Returns when runs with journals in a folder last wrote at the service with this address. With `list`, only entries of that list
 * count, as far as the end of a journal has any. Undefined if none says it.
 */
export async function readLastWriteIn(folder: string, url: string, list?: string) {
  const found = await findJournals(folder, undefined, isNamedJournal);
  const times = found.map(({ path, header }) => {
    if (header.url !== url) return undefined;
    const ranges = rangesOf(header).filter((range) => range.list === list);
    const isOfList = (entry: number) => isInRanges(ranges, entry);
    return readLastWrite(path, ({ created }) => list === undefined || created.some(isOfList));
  });
  return latest(times);
}

/**
 * Returns a time for the header of a new journal: users from before it never count as the run's own. Lists lag, so journals of
 * previous runs in the same folder count, too.
 */
export async function readNewestBefore(client: Client, journal: string) {
  return latest([await readNewestCreation(client), await readLastWriteIn(dirname(journal), client.url)]);
}
