/** What a bulk import carries from request to request, and how it begins. */
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
  // A job with a bucket is answered at once, and nothing cuts it off.
  const most = bucket === undefined ? request.mostSeconds : null;
  const there = scan.orgs.map(({ orgId }) => orgId).filter((id) => !missing.includes(id));
  const timeouts = chooseTimeouts(request.timeout, scan.timeout, most);
  return {
    ...opened,
    source,
    emailAfter,
    /** Entries of all lists, and the users among them. */
    total: sum(counts.keys()),
    users: sum(userLists),
    body: { timeout: timeouts.service, firstForm: scan.firstForm },
    /** How long an answer may take, in milliseconds; longer than the timeout of the service. */
    answerTimeout: timeouts.answer,
    size: createChunkSize(request.size),
    /** Organizations that were there before the run; of a resumed run, none. */
    orgsBefore: new Set(opened.journal.resumed ? [] : there),
    replaces: opened.previous !== undefined,
    repeats: createRepeatedIds(),
    /** How data of the first form is sent: services differ, and refuse the other way. */
    firstForm: { as: 'object' as 'object' | 'text', sure: !scan.firstForm },
    /** Users that a previous run created and that have changed, by number: deleted before they are sent again. */
    replaced: new Map<number, PreviousState>(),
    /** Of these, the ones that this run has deleted. */
    removed: new Set<number>(),
    /** Users whose verified address has arrived unverified, and stays so. */
    unverified: 0,
    /** What was no work of this run. */
    before: { users: 0, entries: 0 },
    /** What happened repeatedly without a success between. */
    inARow: { refused: 0, lost: 0 },
  };
}

export function reportProgress({ emit, tally, before, total }: ImportRun, underWay: number) {
  const entries = { done: countEnded(tally), before: before.entries, underWay, total };
  emit({ type: 'run:progress', bytes: 0, records: tally.read, before: before.users, entries });
}

/** It was done before a resume, or is never sent: no work of this run. */
export function countNoWork({ before }: ImportRun, list: string) {
  before.entries += 1;
  if (userLists.includes(list)) before.users += 1;
}

/** Of the intent of a request: its entries, and the users among them with their fingerprints. */
export const named = ({ fingerprints }: ImportRun, entries: readonly ImportEntry[]) => ({
  entries: entries.map(({ number }) => number),
  users: entries.flatMap(({ user, oldId }): [string, string, string][] =>
    user === undefined ? [] : [[user.id, user.userName, fingerprints.of(oldId ?? user.id, user.content())]],
  ),
});

/** Finds users of a run that have the id of another one before them; a few bytes a user. */
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
