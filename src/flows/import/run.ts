/** Starts a bulk import, and holds what it carries from request to request. */
import { TextMarks } from '../../compact/text-table.ts';
import { countEnded } from '../../records/tally.ts';
import { userLists } from '../../wire/org-entries.ts';
import { type ImportEntry, listCounts, type ImportSource } from './entries.ts';
import type { PreviousState } from '../incremental/previous-table.ts';
import type { OpenedRun } from '../runs/open-run.ts';
import type { ImportRequest } from './request.ts';
import { createChunkSize, chooseTimeouts } from './request-limits.ts';

export type ImportRun = ReturnType<typeof startRun>;

/** `missing`: organizations that are not at the target. */
export function startRun(
  request: ImportRequest,
  opened: OpenedRun,
  source: ImportSource,
  missing: readonly string[],
) {
  const { emailAfter, bucket } = request;
  const { scan, plan } = source;
  const counts = new Map(listCounts(plan));
  const sum = (lists: Iterable<string>) => [...lists].reduce((all, list) => all + (counts.get(list) ?? 0), 0);
  // A job with a bucket is answered at once, so nothing cuts it off.
  const most = bucket === undefined ? request.mostSeconds : null;
  const there = scan.orgs.map(({ orgId }) => orgId).filter((id) => !missing.includes(id));
  const timeouts = chooseTimeouts(request.timeout, scan.timeout, most);
  return {
    ...opened,
    source,
    emailAfter,
    /** Number of entries of all lists, and of the users among them. */
    total: sum(counts.keys()),
    users: sum(userLists),
    body: { timeout: timeouts.service, firstForm: scan.firstForm },
    /** How long an answer may take, in milliseconds. Longer than the timeout of the service. */
    answerTimeout: timeouts.answer,
    size: createChunkSize(request.size),
    /** Organizations that existed before the run. Empty for a resumed run. */
    orgsBefore: new Set(opened.journal.resumed ? [] : there),
    replaces: opened.previous !== undefined,
    repeats: createRepeatedIds(),
    /** How data of the first form is sent. Services differ, and refuse the other form. */
    firstForm: { as: 'object' as 'object' | 'text', sure: !scan.firstForm },
    /** Changed users that a previous run created, by number. They are deleted before they are sent again. */
    replaced: new Map<number, PreviousState>(),
    /** Those of `replaced` that this run has deleted. */
    removed: new Set<number>(),
    /** Number of users whose verified address arrived unverified and stays so. */
    unverified: 0,
    /** Entries that this run did not send: done before a resume, or never sent. */
    before: { users: 0, entries: 0 },
    /** Consecutive refused requests and lost answers. */
    inARow: { refused: 0, lost: 0 },
  };
}

export function reportProgress({ emit, tally, before, total }: ImportRun, underWay: number) {
  const entries = { done: countEnded(tally), before: before.entries, underWay, total };
  emit({ type: 'run:progress', bytes: 0, records: tally.read, before: before.users, entries });
}

/** Counts an entry that was done before a resume or is never sent. */
export function countNoWork({ before }: ImportRun, list: string) {
  before.entries += 1;
  if (userLists.includes(list)) before.users += 1;
}

/** Returns what the intent of a request names: its entries, and its users with their fingerprints. */
export const named = ({ fingerprints }: ImportRun, entries: readonly ImportEntry[]) => ({
  entries: entries.map(({ number }) => number),
  users: entries.flatMap(({ user, oldId }): [string, string, string][] =>
    user === undefined ? [] : [[user.id, user.userName, fingerprints.of(oldId ?? user.id, user.content())]],
  ),
});

/** Finds users whose id an earlier user of the run has. Takes a few bytes a user. */
function createRepeatedIds() {
  const seen = new TextMarks();
  const repeated = new Set<number>();
  return {
    add({ number, user }: ImportEntry) {
      if (user === undefined || user.id === '') return;
      const holder = seen.add(user.id, number);
      if (holder !== -1 && holder !== number) repeated.add(number);
    },
    isRepeat: ({ number }: ImportEntry) => repeated.has(number),
  };
}
