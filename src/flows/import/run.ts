/** What a bulk import carries from request to request, how it begins, and how the result of an entry is recorded. */
import type { RunContext } from '../../events.ts';
import type { Journal } from '../../journal/journal.ts';
import { DictionaryColumn } from '../../compact/dictionary-column.ts';
import { TextMarks } from '../../compact/text-table.ts';
import {
  countEntry,
  countNoted,
  emptyImportTally,
  ended,
  sumUsers,
  type ListTally,
} from '../../records/import-tally.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { count } from '../../records/tally.ts';
import type { Entry } from '../../targets/bulk/entry.ts';
import { userLists } from '../../wire/org-entries.ts';
import { createWait } from '../reconcile/list-lag.ts';
import { WriteTimes } from '../reconcile/write-times.ts';
import type { Fingerprints } from '../incremental/fingerprint.ts';
import type { PreviousRuns } from '../incremental/previous-runs.ts';
import { listCounts, type ImportSource } from './entries.ts';
import type { ImportRequest } from './request.ts';
import { ChunkSize, chooseTimeouts } from './request-limits.ts';

interface OpenedRun {
  readonly journal: Journal;
  readonly source: ImportSource;
  readonly previous: PreviousRuns | undefined;
  /** Of the users in the journal. */
  readonly fingerprints: Fingerprints;
  /** Organizations that are not at the target. */
  readonly missing: readonly string[];
}

export type ImportRun = ReturnType<typeof startRun>;

export function startRun(request: ImportRequest, context: RunContext, opened: OpenedRun) {
  const { client, onExisting, bucket, since = [] } = request;
  const { journal, missing } = opened;
  const { scan, plan } = opened.source;
  // A job with a bucket is answered at once, and nothing cuts it off.
  const most = bucket === undefined ? request.mostSeconds : null;
  const there = scan.orgs.map(({ orgId }) => orgId).filter((id) => !missing.includes(id));
  const timeouts = chooseTimeouts(request.timeout, scan.timeout, most);
  return {
    ...context,
    ...opened,
    client,
    onExisting,
    tally: emptyImportTally(listCounts(plan)),
    body: { timeout: timeouts.service, firstForm: scan.firstForm },
    /** How long an answer may take, in milliseconds; longer than the timeout of the service. */
    answerTimeout: timeouts.answer,
    size: new ChunkSize(request.size),
    /** Organizations that were there before the run; of a resumed run, none. */
    orgsBefore: new Set(journal.resumed ? [] : there),
    writes: new WriteTimes(journal.progress),
    wait: createWait(request.wait),
    replaces: since.length > 0,
    repeats: createRepeatedIds(),
    /** Why entries failed, were rejected, or were done only in part; by number. */
    troubles: new DictionaryColumn<Trouble>(({ outcome, code, detail }) => `${outcome}\n${code}\n${detail}`),
    /** How data of the first form is sent: services differ, and refuse the other way. */
    firstForm: { as: 'object' as 'object' | 'text', sure: !scan.firstForm },
    /**
     * Users that a previous run created and that have changed: deleted before they are sent again. By number, since when
     * (the service's clock) they are ours.
     */
    replaced: new Map<number, number>(),
    /** Of these, the ones that this run has deleted. */
    removed: new Set<number>(),
    /** Users of the body whose verified address arrives unverified. */
    unverified: 0,
    /** Users, and entries of all lists, that have a result from before a resume. */
    doneBefore: { users: 0, entries: 0 },
    /** What happened repeatedly without a success between. */
    inARow: { refused: 0, lost: 0 },
  };
}

export interface Trouble {
  readonly outcome: 'failed' | 'rejected' | 'noted';
  readonly code: ReasonCode;
  readonly detail: string;
}

/** Known also of an entry that cannot be read. */
export interface Named {
  readonly number: number;
  readonly list: string;
  readonly id: string;
  /** The id in the input, where that is another one. */
  readonly oldId?: string;
}

export interface EntryTrouble {
  readonly entry: Entry;
  readonly code: ReasonCode;
  readonly detail: string;
}

/** The results of the entries of one request; entries that it does not name were not done. */
interface Results {
  readonly created?: readonly Entry[];
  readonly existed?: readonly Entry[];
  readonly failed?: readonly EntryTrouble[];
  readonly noted?: readonly EntryTrouble[];
  /** To be sent again, and perhaps done all the same. */
  readonly unconfirmed?: readonly Entry[];
  /** When the request has last written, on the clock that stamps users. */
  readonly writtenAt?: number | undefined;
}

/** Records results in the journal, and counts them when they are on the disk. */
export async function settle(run: ImportRun, attempt: number, results: Results = {}): Promise<void> {
  const { created = [], existed = [], noted = [], unconfirmed = [], writtenAt } = results;
  const failed = (results.failed ?? []).map((trouble) => withRemoval(run, trouble));
  await run.journal.settle(attempt, {
    created: numbers(created),
    existed: numbers(existed),
    failed: failed.map(toFailure),
    noted: noted.map(toFailure),
    unconfirmed: numbers(unconfirmed),
    writtenAt,
  });
  for (const { list } of created) countEntry(run.tally, list, 'created');
  for (const entry of existed) countExisting(run, entry);
  for (const { entry, code, detail } of failed) end(run, entry, { outcome: 'failed', code, detail });
  for (const { entry, code, detail } of noted) end(run, entry, { outcome: 'noted', code, detail });
  reportProgress(run, 0);
}

/** Those that were done before a resume and those that are never sent are no work of this run. */
export function reportProgress({ emit, tally, doneBefore }: ImportRun, underWay: number): void {
  const users = sumUsers(tally);
  const entries = { done: 0, before: doneBefore.entries, underWay, total: 0 };
  for (const counts of tally.lists.values()) {
    entries.done += ended(counts);
    entries.before += neverSent(counts);
    entries.total += counts.total;
  }
  const before = doneBefore.users + neverSent(users);
  emit({ type: 'run:progress', bytes: 0, records: ended(users), before, entries });
}

const neverSent = ({ rejected, unchanged = 0 }: ListTally): number => rejected + unchanged;

/** Adds that the user was deleted by this run. */
function withRemoval({ removed }: ImportRun, trouble: EntryTrouble): EntryTrouble {
  if (!removed.has(trouble.entry.number)) return trouble;
  const detail = `${trouble.detail}; it was deleted to be replaced, and is gone`;
  return { ...trouble, detail };
}

/** A user that existed before is a failure only where that was asked for. */
export function countExisting(run: ImportRun, entry: Named): void {
  if (run.onExisting === 'fail' && userLists.includes(entry.list)) {
    end(run, entry, { outcome: 'failed', code: 'import:exists', detail: '' });
  } else {
    countEntry(run.tally, entry.list, 'existed');
  }
}

/** Counts and reports an entry with trouble, and keeps it for the report file. */
export function end(run: ImportRun, { number, list, id, oldId = id }: Named, trouble: Trouble): void {
  const { outcome, code, detail } = trouble;
  const before = run.troubles.get(number);
  run.troubles.set(number, trouble);
  if (outcome === 'noted') {
    if (before === undefined) countNoted(run.tally, list);
    count(run.tally.reasons, code);
    return;
  }
  countEntry(run.tally, list, outcome, code);
  const place = { input: `${run.source.input.name} ${list}`, index: number, id: oldId };
  run.emit({ type: 'record:rejected', place, code, detail });
}

/** Of the intent of a request: its entries, and the users among them with their fingerprints. */
export const named = ({ fingerprints }: ImportRun, entries: readonly Entry[]) => ({
  entries: entries.map(({ number }) => number),
  users: entries.flatMap(({ user, oldId }): [string, string, string][] =>
    user === undefined ? [] : [[user.id, user.userName, fingerprints.of(oldId ?? user.id, user.content())]],
  ),
});

/** As the journal wants them. */
export function numbers(items: readonly { readonly number: number }[]): number[] {
  return items.map(({ number }) => number).toSorted((a, b) => a - b);
}

function toFailure({ entry, code, detail }: EntryTrouble): { entry: number; code: string; detail: string } {
  return { entry: entry.number, code, detail };
}

/** Finds users of a run that have the id of another one before them; a few bytes a user. */
function createRepeatedIds() {
  const seen = new TextMarks();
  const repeated = new Set<number>();
  return {
    add({ number, user }: Entry): void {
      if (user === undefined || user.id === '') return;
      const holder = seen.add(user.id, number);
      if (holder !== -1 && holder !== number) repeated.add(number);
    },
    isRepeat: ({ number }: Entry): boolean => repeated.has(number),
  };
}
