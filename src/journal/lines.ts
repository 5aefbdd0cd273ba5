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

/** A member of a line: how it is checked, and how it is read and written if the file has it in another form. */
interface Member<Value> {
  /** `entries` is how many the run has: a number that is not below it is invalid. */
  readonly is: (value: unknown, entries: number) => boolean;
  readonly read?: (written: never) => Value;
  readonly write?: (value: never) => unknown;
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

/** Numbers that rise. Checked before they are expanded: one digit too many would make billions of them. */
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
  /** Never a secret. */
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
  /** As they were given; of a running system, where it is. */
  readonly names: readonly string[];
  /** Of a running system: the flag that names it. */
  readonly live?: string | undefined;
  readonly bytes: number;
  readonly sha256: string;
}

/** What the run is about. A run resumes a journal only if all but `startedAt` and the names is the same. */
const headerMembers = {
  verb: text,
  input: member<JournalInput>(
    (value) => isObject(value) && listOf(text).is(value['names'], 0) && isText(value['sha256']),
  ),
  url: text,
  orgs: listOf(text),
  /** The lists in the order of sending, and how many entries each has: entries are numbered through all of them. */
  plan: member<readonly (readonly [list: string, count: number])[]>(isPlan),
  /** Whatever else changes the meaning of the journal, for example the route. */
  settings: member<Readonly<Record<string, string>>>(isObject),
  /** On the service's clock, in milliseconds since 1970. */
  startedAt: number,
  /**
   * When the newest user was created that the service had before the first request, on the clock that stamps users, in
   * milliseconds: the run has created none of the users until then.
   */
  newestBefore: optional(number),
  /** Journals of runs that this one has replaced without resuming them, beside it; the oldest first. */
  follows: optional(listOf(text)),
  /** Of a journal that idport merge has made: those of the shards, beside it. */
  merges: optional(listOf(text)),
  /** What was not at the target before the first request: the run creates it. */
  creates: optional(listOf(tuple<CreatedResource>(member<ResourceKind>(isText), text, text, text))),
  /** Where the id map of the run is. */
  idMap: optional(text),
  /** The command that began the run, without secrets. */
  typed: optional(text),
};

/** Written before a request is sent. */
const intentMembers = {
  /** On the service's clock, in milliseconds since 1970. */
  at: number,
  /** Numbers of the entries in the request, rising. */
  entries: numbers,
  /** Of the users among them, in their order: id (may be empty), user name, and a fingerprint of the record. */
  users: listOf(tuple<readonly [id: string, userName: string, fingerprint: string]>(text, text, text)),
  /** Of the users among them that are sent with another id than that of the source. */
  ids: optional(ids),
  /** Fingerprints of the user grants among them, in their order. */
  grants: optional(listOf(text)),
  /** Generation of the object in a bucket that the service is told to read; empty where it has none. */
  object: optional(text),
  /**
   * Of a user who is changed in place: when the service said before that it was last written, on the clock that stamps users,
   * in milliseconds. It shows whether anyone else had changed the user by then.
   */
  changedAt: optional(number),
};

/** Written when the result is known as far as it can be. Entries of the intent that it does not name were not done. */
const outcomeMembers = {
  created: numbers,
  /** Created by a run before, and changed in place by this one. */
  changed: optional(numbers),
  /** Existed before this run. */
  existed: numbers,
  failed: failures,
  /** Done, except for a part. */
  noted: failures,
  /** Not found, and perhaps done all the same: sent again, they may turn out to be ours. */
  unconfirmed: optional(numbers),
  /** Ids that the service gave, where it chose them itself. */
  ids,
  /** When the request has last written, on the clock that stamps users, in milliseconds; absent where not known. */
  writtenAt: optional(number),
};

/** A user of a previous run who is gone from the source: a line before the request, and one after it, which replaces it. */
const leftMembers = {
  /** In the source: id, or else user name. */
  user: tuple<readonly [id: string, userName: string]>(text, text),
  /** At the target. */
  id: text,
  done: member<'deactivated' | 'deleting' | 'deleted'>(isText),
  /** When it was sent, by the service's `Date`, in milliseconds. */
  at: number,
  /** When the user had been written last before, and then by this; on the clock that stamps users, in milliseconds. */
  changedAt: optional(number),
  writtenAt: optional(number),
};

type ValueOf<Given> = Given extends Member<infer Value> ? Value : never;
type Needed<Given> = {
  [Name in keyof Given]: undefined extends ValueOf<Given[Name]> ? never : Name;
}[keyof Given];
type Values<Given> = { readonly [Name in Needed<Given>]: ValueOf<Given[Name]> } & {
  readonly [Name in Exclude<keyof Given, Needed<Given>>]?: ValueOf<Given[Name]>;
};
interface Numbered {
  /** Numbers the requests of a run, from 1. It stands under the name of the line. */
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
  /** Everything that could be done is done, in so many requests. */
  | { readonly kind: 'end'; readonly at: number; readonly attempts: number };

export function encodeLine(line: Line): string {
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

/** Undefined for any other line. `entries` is how many the run has: a line that names a higher one is invalid. */
export function decodeLine(text: string, entries = Infinity): Line | undefined {
  try {
    const fields: unknown = JSON.parse(text);
    return isObject(fields) ? decode(fields, entries) : undefined;
  } catch {
    return undefined;
  }
}

/** Of a first line of any version; undefined for the line of another file. */
export function versionOf(text: string): number | undefined {
  const [, written] = /^\{"format":"idport-journal","version":(\d+)/.exec(text) ?? [];
  return written === undefined ? undefined : Number(written);
}

/** How many entries a run has. */
export function entriesOf({ plan }: Pick<JournalHeader, 'plan'>): number {
  return plan.reduce((sum, [, count]) => sum + count, 0);
}

/** The numbers that the entries of a list have: from the first to before `end`. */
export interface ListRange {
  readonly list: string;
  readonly from: number;
  readonly end: number;
}

/** Whether an entry is of one of these lists. */
export const isInRanges = (ranges: readonly ListRange[], entry: number): boolean =>
  ranges.some(({ from, end }) => entry >= from && entry < end);

export function rangesOf({ plan }: Pick<JournalHeader, 'plan'>): ListRange[] {
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

/** Taken apart once: lines are read by the million. */
const intentRows: Rows = Object.entries(intentMembers);
const outcomeRows: Rows = Object.entries(outcomeMembers);

/** Fills in the values; false where one is not as it should be. Members of the line that are not in the rows are left out. */
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

/** In the order of the rows; a list that may be left out is, where it is empty. */
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
