/** The lines of a journal: their meaning, and how they are written and read. docs/resume.md shows them. */
import type { Values } from '../lib/flag.ts';
import { isObject, isText, type JsonObject } from '../lib/json-value.ts';
import type { ResourceKind } from '../records/resource.ts';

/** Format in the first line of every journal. */
export const format = 'idport-journal';
export const version = 1;

/**
 * A resource that was not at the target before the run. `of` is the id of the organization or project, or of the one that a role,
 * project grant or application belongs to; for an identity provider it is the alias. `name` is the key of a role, or the
 * organization to which a project is granted.
 */
export type CreatedResource = readonly [kind: ResourceKind, org: string, of: string, name: string];

/** A member of a line: how it is checked, and how it is read and written if the file has it in another form. */
interface Member<Value> {
  /** `entries` is the number of entries of the run. An entry number that is not below it is invalid. */
  readonly is: (value: unknown, entries: number) => boolean;
  readonly read?: (written: never) => Value;
  readonly write?: (value: never) => unknown;
  /** Never set; it carries the type. */
  readonly type?: Value;
}

const member = <Value>(is: Member<Value>['is']): Member<Value> => ({ is });

const number = member<number>((value) => typeof value === 'number');
const text = member<string>(isText);
const entry = member<number>(isBelow);

const listOf = <Value>({ is }: Member<Value>): Member<readonly Value[]> =>
  member((value, entries) => Array.isArray(value) && value.every((one) => is(one, entries)));

const tuple = <Values extends readonly unknown[]>(
  ...members: { readonly [At in keyof Values]: Member<Values[At]> }
): Member<Readonly<Values>> =>
  member(
    (value, entries) =>
      Array.isArray(value) &&
      value.length === members.length &&
      members.every(({ is }, at) => is(value[at], entries)),
  );

const optional = <Value>(given: Member<Value>): Member<Value | undefined> => ({
  ...given,
  is: (value, entries) => value === undefined || given.is(value, entries),
});

/** First and last of consecutive numbers: `[0,1,2,7]` is written `[[0,2],[7,7]]`. */
type Range = readonly [from: number, to: number];

const range = tuple<Range>(entry, entry);

/** Ascending numbers. They are checked before they are expanded, because one digit too many would make billions of them. */
const numbers: Member<readonly number[]> = {
  is: listOf(
    member<Range>((value, entries) => range.is(value, entries) && (value as Range)[0] <= (value as Range)[1]),
  ).is,
  read: fromRanges,
  write: toRanges,
};

export interface Failure {
  readonly entry: number;
  /** A reason code. */
  readonly code: string;
  /** Never contains a secret. */
  readonly detail: string;
}

type Triple = readonly [entry: number, code: string, detail: string];

const failures: Member<readonly Failure[]> = {
  is: listOf(tuple<Triple>(entry, text, text)).is,
  read: (triples: readonly Triple[]) => triples.map(([entry, code, detail]) => ({ entry, code, detail })),
  write: (list: readonly Failure[]) => list.map(({ entry, code, detail }): Triple => [entry, code, detail]),
};

const ids = listOf(tuple<readonly [entry: number, id: string]>(entry, text));

interface JournalInput {
  /** Names as they were given; for a running system, its address. */
  readonly names: readonly string[];
  /** For a running system, the flag that names it. */
  readonly live?: string | undefined;
  readonly bytes: number;
  readonly sha256: string;
}

/** What the run is about. A run resumes a journal only if everything but `startedAt` and the names is the same. */
const headerMembers = {
  verb: text,
  input: member<JournalInput>(
    (value) => isObject(value) && listOf(text).is(value['names'], 0) && isText(value['sha256']),
  ),
  url: text,
  orgs: listOf(text),
  /** Lists in the order of sending, with their numbers of entries. Entries are numbered through all lists. */
  plan: member<readonly (readonly [list: string, count: number])[]>(isPlan),
  /** Everything else that changes the meaning of the journal, for example the route. */
  settings: member<Readonly<Record<string, string>>>(isObject),
  /** Time on the service's clock, in milliseconds since 1970. */
  startedAt: number,
  /**
   * When the newest user was created that the service had before the first request, on the clock that stamps users, in
   * milliseconds. The run created no user up to that time.
   */
  newestBefore: optional(number),
  /** Journals in the same folder of runs that this one replaced without resuming them; oldest first. */
  follows: optional(listOf(text)),
  /** For a journal that idport merge made: the journals of the shards in the same folder. */
  merges: optional(listOf(text)),
  /** Resources that were not at the target before the first request. The run creates them. */
  creates: optional(listOf(tuple<CreatedResource>(member<ResourceKind>(isText), text, text, text))),
  /** Path of the id map of the run. */
  idMap: optional(text),
  /** Command that began the run, without secrets. */
  typed: optional(text),
};

/** Written before a request is sent. */
const intentMembers = {
  /** Time on the service's clock, in milliseconds since 1970. */
  at: number,
  /** Numbers of the entries in the request, ascending. */
  entries: numbers,
  /** Users among them in the same order: id (may be empty), user name, and a fingerprint of the record. */
  users: listOf(tuple<readonly [id: string, userName: string, fingerprint: string]>(text, text, text)),
  /** Users among them that are sent with another id than in the source. */
  ids: optional(ids),
  /** Fingerprints of the user grants among them, in the same order. */
  grants: optional(listOf(text)),
  /** Generation of the object in a bucket that the service is told to read; empty if it has none. */
  object: optional(text),
  /**
   * For a user who is changed in place: when the service said before that the user was last written, on the clock that stamps
   * users, in milliseconds. It shows whether anyone else had changed the user by then.
   */
  changedAt: optional(number),
};

/** Written when the result is known as far as possible. Entries of the intent that are not named were not done. */
const outcomeMembers = {
  created: numbers,
  /** Created by a previous run and changed in place by this one. */
  changed: optional(numbers),
  /** Existed before this run. */
  existed: numbers,
  failed: failures,
  /** Done except for a part. */
  noted: failures,
  /** Not found, but perhaps done after all. If they are sent again, existing ones may turn out to be from this run. */
  unconfirmed: optional(numbers),
  /** Ids that the service chose itself. */
  ids,
  /** When the request last wrote, on the clock that stamps users, in milliseconds; absent if not known. */
  writtenAt: optional(number),
};

/**
 * A user of a previous run who is gone from the source. One line is written before the request, and one after it, which replaces
 * the first.
 */
const leftMembers = {
  /** Id in the source, or else the user name; the other one is empty. */
  user: tuple<readonly [id: string, userName: string]>(text, text),
  /** Id at the target. */
  id: text,
  done: member<'deactivated' | 'deleting' | 'deleted'>(isText),
  /** When the request was sent, by the service's `Date`, in milliseconds. */
  at: number,
  /**
   * `changedAt`: when the user was last written before. `writtenAt`: when this request wrote. Both on the clock that stamps
   * users, in milliseconds.
   */
  changedAt: optional(number),
  writtenAt: optional(number),
};

interface Numbered {
  /** Number of the request in the run, from 1. Lines have it under the name of their kind. */
  readonly attempt: number;
}

export type JournalHeader = Values<typeof headerMembers>;
export type Intent = Numbered & Values<typeof intentMembers>;
export type AttemptOutcome = Numbered & Values<typeof outcomeMembers>;
export type Left = Values<typeof leftMembers>;

export type Line =
  | { readonly kind: 'header'; readonly header: JournalHeader }
  | { readonly kind: 'intent'; readonly intent: Intent }
  | { readonly kind: 'outcome'; readonly outcome: AttemptOutcome }
  | { readonly kind: 'left'; readonly left: Left }
  /** Everything that could be done is done, in this many requests. */
  | { readonly kind: 'end'; readonly at: number; readonly attempts: number };

export function encodeLine(line: Line) {
  switch (line.kind) {
    case 'header':
      return JSON.stringify({ format, version, ...line.header });
    case 'intent':
      return JSON.stringify(write(intentRows, { intent: line.intent.attempt }, line.intent));
    case 'outcome':
      return JSON.stringify(write(outcomeRows, { outcome: line.outcome.attempt }, line.outcome));
    case 'left':
      return JSON.stringify({ left: line.left });
    case 'end':
      return JSON.stringify({ end: line.at, attempts: line.attempts });
  }
}

/**
 * Returns undefined for any other line. `entries` is the number of entries of the run; a line that names a higher one is invalid.
 */
export function decodeLine(text: string, entries = Infinity) {
  try {
    const fields: unknown = JSON.parse(text);
    return isObject(fields) ? decode(fields, entries) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the version in a first line of any version, or undefined for the line of another file. */
export function versionOf(text: string) {
  const [, written] = /^\{"format":"idport-journal","version":(\d+)/.exec(text) ?? [];
  return written === undefined ? undefined : Number(written);
}

/** Returns the number of entries of a run. */
export function entriesOf({ plan }: Pick<JournalHeader, 'plan'>) {
  return plan.reduce((sum, [, count]) => sum + count, 0);
}

/** Numbers of the entries of a list: from the first to before `end`. */
export interface ListRange {
  readonly list: string;
  readonly from: number;
  readonly end: number;
}

/** Reports whether an entry belongs to one of these lists. */
export const isInRanges = (ranges: readonly ListRange[], entry: number) =>
  ranges.some(({ from, end }) => entry >= from && entry < end);

export function rangesOf({ plan }: JournalHeader): ListRange[] {
  let end = 0;
  return plan.map(([list, count]) => ({ list, from: end, end: (end += count) }));
}

function decode(fields: JsonObject, entries: number): Line | undefined {
  const { intent, outcome, left, end, attempts } = fields;
  if (fields['format'] === format) {
    const { format: _, version: written, ...header } = fields;
    const isHeader = written === version && fits(headerMembers, header, mostEntries);
    return isHeader ? { kind: 'header', header: header as unknown as JournalHeader } : undefined;
  }
  if (typeof intent === 'number') {
    const values = { attempt: intent } as Intent;
    return read(intentRows, values, fields, entries) ? { kind: 'intent', intent: values } : undefined;
  }
  if (typeof outcome === 'number') {
    const values = { attempt: outcome } as AttemptOutcome;
    return read(outcomeRows, values, fields, entries) ? { kind: 'outcome', outcome: values } : undefined;
  }
  if (isObject(left) && fits(leftMembers, left, entries))
    return { kind: 'left', left: left as unknown as Left };
  return typeof end === 'number' && typeof attempts === 'number'
    ? { kind: 'end', at: end, attempts }
    : undefined;
}

const fits = (members: Readonly<Record<string, Member<unknown>>>, fields: JsonObject, entries: number) =>
  Object.entries(members).every(([name, { is }]) => is(fields[name], entries));

type Rows = readonly (readonly [name: string, member: Member<unknown>])[];

/** Prepared once, because lines are read by the million. */
const intentRows: Rows = Object.entries(intentMembers);
const outcomeRows: Rows = Object.entries(outcomeMembers);

/** Fills in the values. Returns false if one is invalid. Members of the line that are not in the rows are left out. */
function read(rows: Rows, values: object, fields: JsonObject, entries: number) {
  for (const [name, { is, read }] of rows) {
    const written = fields[name];
    if (!is(written, entries)) return false;
    if (written !== undefined) {
      (values as Record<string, unknown>)[name] = read === undefined ? written : read(written as never);
    }
  }
  return true;
}

/** Writes the values in the order of the rows. An optional list is left out if it is empty. */
function write(rows: Rows, written: Record<string, unknown>, values: object): object {
  for (const [name, { is, write }] of rows) {
    const value = (values as JsonObject)[name];
    const isLeftOut = value === undefined || (Array.isArray(value) && value.length === 0 && is(undefined, 0));
    if (!isLeftOut) written[name] = write === undefined ? value : write(value as never);
  }
  return written;
}

function toRanges(numbers: readonly number[]) {
  const ranges: Range[] = [];
  for (let at = 0; at < numbers.length; at++) {
    const from = at;
    while (numbers[at + 1] === numbers[at]! + 1) at += 1;
    ranges.push([numbers[from]!, numbers[at]!]);
  }
  return ranges;
}

function fromRanges(ranges: readonly Range[]) {
  const numbers: number[] = [];
  for (const [from, to] of ranges) for (let number = from; number <= to; number++) numbers.push(number);
  return numbers;
}

/** More entries would not fit into memory. */
const mostEntries = 2 ** 30;

function isPlan(value: unknown): boolean {
  if (!listOf(tuple<readonly [list: string, count: number]>(text, entry)).is(value, mostEntries))
    return false;
  return entriesOf({ plan: value as JournalHeader['plan'] }) < mostEntries;
}

function isBelow(value: unknown, limit: number) {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < limit;
}
