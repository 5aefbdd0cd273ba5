/** The lines of a journal: what they say, how they are written and read. docs/resume.md shows them. */
import { isObject, isText, type JsonObject } from '../lib/json-value.ts';
import type { ResourceKind } from '../records/resource.ts';

/** How the first line of every journal begins. */
export const format = 'idport-journal';
export const version = 1;

/**
 * A resource that was not at the target before the run. `of` is the id of the organization or the project that it is, or that
 * a role, a project grant or an application is part of; of an identity provider its alias. `name` is the key of a role, and
 * the organization to which a project is granted.
 */
export type CreatedResource = readonly [kind: ResourceKind, org: string, of: string, name: string];

/** What the run is about. A run resumes a journal only if all but `startedAt` and the name is the same. */
export interface JournalHeader {
  readonly verb: string;
  readonly input: { readonly name: string; readonly bytes: number; readonly sha256: string };
  readonly url: string;
  readonly orgs: readonly string[];
  /** The lists in the order of sending, and how many entries each has: entries are numbered through all of them. */
  readonly plan: readonly (readonly [list: string, count: number])[];
  /** Whatever else changes the meaning of the journal, for example the route. */
  readonly settings: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /**
   * When the newest user was created that the service had before the first request, on the clock that stamps users, in
   * milliseconds: the run has created none of the users until then.
   */
  readonly newestBefore?: number | undefined;
  /** Journals of runs that this one has replaced without resuming them, beside it; the oldest first. */
  readonly follows?: readonly string[] | undefined;
  /** What was not at the target before the first request: the run creates it. */
  readonly creates?: readonly CreatedResource[] | undefined;
  /** Organizations that a copy leaves behind, because the source could not export them. */
  readonly lost?: readonly string[] | undefined;
  /** The command that began the run, without secrets. */
  readonly typed?: string | undefined;
}

/** Written before a request is sent. */
export interface Intent {
  readonly attempt: number;
  /** On the service's clock, in milliseconds since 1970. */
  readonly at: number;
  /** Numbers of the entries in the request, rising. */
  readonly entries: readonly number[];
  /** Of the users among them, in their order: id (may be empty), user name, and a fingerprint of the record. */
  readonly users: readonly (readonly [id: string, userName: string, fingerprint: string])[];
  /** Of the users among them that are sent with another id than that of the source. */
  readonly ids?: AttemptOutcome['ids'] | undefined;
  /** Fingerprints of the user grants among them, in their order. */
  readonly grants?: readonly string[] | undefined;
  /** Generation of the object in a bucket that the service is told to read; empty where it has none. */
  readonly object?: string | undefined;
}

export interface Failure {
  readonly entry: number;
  /** A reason code. */
  readonly code: string;
  /** Never a secret. */
  readonly detail: string;
}

/** Written when the result is known as far as it can be. Entries of the intent that it does not name were not done. */
export interface AttemptOutcome {
  readonly attempt: number;
  readonly created: readonly number[];
  /** Created by a run before, and changed in place by this one. */
  readonly changed?: readonly number[] | undefined;
  /** Existed before this run. */
  readonly existed: readonly number[];
  readonly failed: readonly Failure[];
  /** Done, except for a part. */
  readonly noted: readonly Failure[];
  /** Not found, and perhaps done all the same: sent again, they may turn out to be ours. */
  readonly doubtful?: readonly number[] | undefined;
  /** Ids that the service gave, where it chose them itself. */
  readonly ids: readonly (readonly [entry: number, id: string])[];
  /** When the request has last written, on the clock that stamps users, in milliseconds; absent where not known. */
  readonly writtenAt?: number | undefined;
}

export type Line =
  | { readonly kind: 'header'; readonly header: JournalHeader }
  | { readonly kind: 'intent'; readonly intent: Intent }
  | { readonly kind: 'outcome'; readonly outcome: AttemptOutcome }
  /** Everything that could be done is done, in so many requests. */
  | { readonly kind: 'end'; readonly at: number; readonly attempts: number };

export function encodeLine(line: Line): string {
  switch (line.kind) {
    case 'header':
      return JSON.stringify({ format, version, ...line.header });
    case 'intent':
      return JSON.stringify(writeIntent(line.intent));
    case 'outcome':
      return JSON.stringify(writeOutcome(line.outcome));
    case 'end':
      return JSON.stringify({ end: line.at, attempts: line.attempts });
  }
}

/** Undefined for any other line. `entries` is how many the run has: a line that names a higher one is invalid. */
export function decodeLine(text: string, entries = Infinity): Line | undefined {
  try {
    const fields: unknown = JSON.parse(text);
    return isObject(fields) ? read(fields, entries) : undefined;
  } catch {
    return undefined;
  }
}

/** How many entries a run has. */
export function entriesOf({ plan }: JournalHeader): number {
  return plan.reduce((sum, [, count]) => sum + count, 0);
}

function read(fields: JsonObject, entries: number): Line | undefined {
  if (fields['format'] === format) {
    const { format: _, version: __, ...header } = fields;
    return isHeader(fields) ? { kind: 'header', header: header as unknown as JournalHeader } : undefined;
  }
  if (isIntent(fields, entries)) return { kind: 'intent', intent: readIntent(fields) };
  if (isOutcome(fields, entries)) return { kind: 'outcome', outcome: readOutcome(fields) };
  const { end, attempts } = fields;
  return typeof end === 'number' && typeof attempts === 'number'
    ? { kind: 'end', at: end, attempts }
    : undefined;
}

/** An intent as it stands in the file. */
interface WrittenIntent {
  readonly intent: number;
  readonly at: number;
  readonly entries: readonly Range[];
  readonly users: Intent['users'];
  readonly ids?: Intent['ids'];
  readonly grants?: Intent['grants'];
  readonly object?: string | undefined;
}

function writeIntent({ attempt, at, entries, users, ...others }: Intent): WrittenIntent {
  return { intent: attempt, at, entries: toRanges(entries), users, ...others };
}

function readIntent(line: WrittenIntent): Intent {
  const { intent, at, entries, users, ids, grants, object } = line;
  return {
    attempt: intent,
    at,
    entries: fromRanges(entries),
    users,
    ids,
    grants,
    object,
  };
}

interface WrittenOutcome {
  readonly outcome: number;
  readonly created: readonly Range[];
  readonly changed?: readonly Range[];
  readonly existed: readonly Range[];
  readonly failed: readonly Triple[];
  readonly noted: readonly Triple[];
  readonly doubtful?: readonly Range[];
  readonly ids: AttemptOutcome['ids'];
  readonly writtenAt?: number | undefined;
}

function writeOutcome(written: AttemptOutcome): WrittenOutcome {
  const { attempt, created, changed = [], existed, failed, noted, doubtful = [], ids, writtenAt } = written;
  return {
    outcome: attempt,
    created: toRanges(created),
    ...(changed.length === 0 ? {} : { changed: toRanges(changed) }),
    existed: toRanges(existed),
    failed: failed.map(toTriple),
    noted: noted.map(toTriple),
    ...(doubtful.length === 0 ? {} : { doubtful: toRanges(doubtful) }),
    ids,
    writtenAt,
  };
}

function readOutcome(written: WrittenOutcome): AttemptOutcome {
  const { outcome, created, changed, existed, failed, noted, doubtful, ids, writtenAt } = written;
  return {
    attempt: outcome,
    created: fromRanges(created),
    changed: changed && fromRanges(changed),
    existed: fromRanges(existed),
    failed: failed.map(fromTriple),
    noted: noted.map(fromTriple),
    doubtful: doubtful && fromRanges(doubtful),
    ids,
    writtenAt,
  };
}

type Triple = readonly [entry: number, code: string, detail: string];

const toTriple = ({ entry, code, detail }: Failure): Triple => [entry, code, detail];
const fromTriple = ([entry, code, detail]: Triple): Failure => ({ entry, code, detail });

/** First and last of consecutive numbers: `[0,1,2,7]` is written `[[0,2],[7,7]]`. */
type Range = readonly [from: number, to: number];

/** `numbers` must rise. */
function toRanges(numbers: readonly number[]): Range[] {
  const ranges: Range[] = [];
  for (let at = 0; at < numbers.length; at++) {
    const from = at;
    while (numbers[at + 1] === numbers[at]! + 1) at += 1;
    ranges.push([numbers[from]!, numbers[at]!]);
  }
  return ranges;
}

function fromRanges(ranges: readonly Range[]): number[] {
  const numbers: number[] = [];
  for (const [from, to] of ranges) for (let number = from; number <= to; number++) numbers.push(number);
  return numbers;
}

/** More entries would not fit into memory. */
const mostEntries = 2 ** 30;

function isHeader({
  version: written,
  verb,
  input,
  url,
  orgs,
  plan,
  settings,
  newestBefore,
  follows = [],
  creates = [],
  lost = [],
  typed = '',
}: JsonObject): boolean {
  return (
    written === version &&
    typeof verb === 'string' &&
    isObject(input) &&
    typeof input['name'] === 'string' &&
    typeof input['sha256'] === 'string' &&
    typeof url === 'string' &&
    isListOf(orgs, isText) &&
    isListOf(plan, (row) => Array.isArray(row) && isText(row[0]) && isBelow(row[1], mostEntries)) &&
    (plan as [string, number][]).reduce((sum, [, count]) => sum + count, 0) < mostEntries &&
    isObject(settings) &&
    isTime(newestBefore) &&
    isListOf(follows, isText) &&
    isListOf(lost, isText) &&
    isListOf(creates, (one) => isListOf(one, isText) && one.length === 4) &&
    typeof typed === 'string'
  );
}

function isIntent(fields: JsonObject, limit: number): fields is JsonObject & WrittenIntent {
  const { intent, at, entries, users, ids = [], grants = [], object = '' } = fields;
  return (
    typeof intent === 'number' &&
    typeof object === 'string' &&
    typeof at === 'number' &&
    areRanges(entries, limit) &&
    isListOf(users, (user) => isListOf(user, isText) && user.length === 3) &&
    areIds(ids, limit) &&
    isListOf(grants, isText)
  );
}

function isOutcome(fields: JsonObject, limit: number): fields is JsonObject & WrittenOutcome {
  const { outcome, created, changed = [], existed, failed, noted, doubtful = [], ids, writtenAt } = fields;
  const isTriple = (value: unknown): boolean =>
    Array.isArray(value) && isBelow(value[0], limit) && isText(value[1]) && isText(value[2]);
  return (
    typeof outcome === 'number' &&
    [created, changed, existed, doubtful].every((ranges) => areRanges(ranges, limit)) &&
    [failed, noted].every((list) => isListOf(list, isTriple)) &&
    areIds(ids, limit) &&
    isTime(writtenAt)
  );
}

function areIds(value: unknown, limit: number): boolean {
  return isListOf(value, (pair) => Array.isArray(pair) && isBelow(pair[0], limit) && isText(pair[1]));
}

/** Checked before they are expanded: one digit too many would make billions of them. */
function areRanges(value: unknown, limit: number): boolean {
  return isListOf(value, (range) => isRange(range, limit));
}

function isRange(value: unknown, limit: number): boolean {
  return (
    Array.isArray(value) && value.length === 2 && isBelow(value[1], limit) && isBelow(value[0], value[1] + 1)
  );
}

function isBelow(value: unknown, limit: number): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < limit;
}

function isTime(value: unknown): boolean {
  return value === undefined || typeof value === 'number';
}

function isListOf<Item>(value: unknown, check: (item: unknown) => item is Item): value is Item[];
function isListOf(value: unknown, check: (item: unknown) => boolean): value is unknown[];
function isListOf(value: unknown, check: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(check);
}
