/** The lines of a journal: what they say, how they are written, how they are read. docs/resume.md shows them. */
import {
  type Fields,
  format,
  isHeader,
  isIntent,
  isObject,
  isOutcome,
  type Triple,
  version,
  type WrittenOutcome,
} from './checks.ts';
import { quoteJson } from '../lib/json-quote.ts';
import { formatRanges, fromRanges } from './ranges.ts';

/** What the run is about. A journal goes on only for the same of everything but `startedAt` and the name. */
export interface JournalHeader {
  readonly verb: string;
  readonly input: { readonly name: string; readonly bytes: number; readonly sha256: string };
  readonly url: string;
  readonly orgs: readonly string[];
  /** Where the entries have their numbers from: the lists in the order of sending, and how many each has. */
  readonly plan: readonly (readonly [list: string, count: number])[];
  /** What changes the meaning of the journal besides, for example the route. */
  readonly settings: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** Written before a request leaves. */
export interface Intent {
  readonly attempt: number;
  /** On the service's clock, in milliseconds since 1970. */
  readonly at: number;
  /** Numbers of the entries in the request, rising. */
  readonly entries: readonly number[];
  /** Of the people among them, in their order: id (may be empty), user name, and a fingerprint of the record. */
  readonly people: readonly (readonly [id: string, userName: string, fingerprint: string])[];
}

export interface Failure {
  readonly entry: number;
  /** A reason code. */
  readonly code: string;
  /** Never a secret. */
  readonly detail: string;
}

/** Written when the end is known as far as it can be. Entries of the intent that it does not name were not done. */
export interface Outcome {
  readonly attempt: number;
  readonly created: readonly number[];
  /** Existed before this run. */
  readonly existed: readonly number[];
  readonly failed: readonly Failure[];
  /** Done, but not in everything. */
  readonly noted: readonly Failure[];
  /** Not to be found, but perhaps done all the same: sent again, they may turn out to be ours. */
  readonly doubtful?: readonly number[];
  /** Ids that the service gave, where it chose them itself. */
  readonly ids: readonly (readonly [entry: number, id: string])[];
}

export type Line =
  | { readonly kind: 'header'; readonly header: JournalHeader }
  | { readonly kind: 'intent'; readonly intent: Intent }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  /** Everything that could be done is done. */
  | { readonly kind: 'end'; readonly at: number };

/** Intents and outcomes are put together by hand, because there is one of each a person. */
export function encodeLine(line: Line): string {
  switch (line.kind) {
    case 'header':
      return JSON.stringify({ format, version, ...line.header });
    case 'intent':
      return encodeIntent(line.intent.attempt, line.intent);
    case 'outcome':
      return encodeOutcome(line.outcome);
    case 'end':
      return JSON.stringify({ end: line.at });
  }
}

export function encodeIntent(attempt: number, { at, entries, people }: Omit<Intent, 'attempt'>): string {
  return `{"intent":${attempt},"at":${at},"entries":${formatRanges(entries)},"people":[${formatList(people, formatPerson)}]}`;
}

export function encodeOutcome(outcome: Outcome): string {
  const { attempt, created, existed, failed, noted, doubtful = [], ids } = outcome;
  const lists =
    `"created":${formatRanges(created)},"existed":${formatRanges(existed)}` +
    `,"failed":${formatTriples(failed)},"noted":${formatTriples(noted)}`;
  const doubts = doubtful.length === 0 ? '' : `,"doubtful":${formatRanges(doubtful)}`;
  return `{"outcome":${attempt},${lists}${doubts},"ids":[${formatList(ids, formatId)}]}`;
}

/** Undefined for a line that is none of these. `entries` is how many the run has: no line may name another one. */
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

function read(fields: Fields, entries: number): Line | undefined {
  if (fields['format'] === format) {
    const { format: _, version: __, ...header } = fields;
    return isHeader(fields) ? { kind: 'header', header: header as unknown as JournalHeader } : undefined;
  }
  if (isIntent(fields, entries)) {
    const { intent: attempt, at, entries: ranges, people } = fields;
    return { kind: 'intent', intent: { attempt, at, entries: [...fromRanges(ranges)], people } };
  }
  if (isOutcome(fields, entries)) return decodeOutcome(fields);
  return typeof fields['end'] === 'number' ? { kind: 'end', at: fields['end'] } : undefined;
}

function formatList<Item>(items: readonly Item[], format: (item: Item) => string): string {
  const [first] = items;
  // The journal of people one by one has nothing else.
  return first !== undefined && items.length === 1 ? format(first) : items.map(format).join(',');
}

const formatPerson = ([id, userName, fingerprint]: Intent['people'][number]): string =>
  `[${quoteJson(id)},${quoteJson(userName)},${quoteJson(fingerprint)}]`;

const formatId = ([entry, id]: Outcome['ids'][number]): string => `[${entry},${quoteJson(id)}]`;

function formatTriples(failures: readonly Failure[]): string {
  return failures.length === 0 ? '[]' : JSON.stringify(failures.map(toTriple));
}

const toTriple = ({ entry, code, detail }: Failure): Triple => [entry, code, detail];
const fromTriple = ([entry, code, detail]: Triple): Failure => ({ entry, code, detail });

function decodeOutcome(written: WrittenOutcome): Line {
  const { outcome: attempt, created, existed, failed, noted, doubtful, ids } = written;
  return {
    kind: 'outcome',
    outcome: {
      attempt,
      created: [...fromRanges(created)],
      existed: [...fromRanges(existed)],
      failed: failed.map(fromTriple),
      noted: noted.map(fromTriple),
      ...(doubtful === undefined ? {} : { doubtful: [...fromRanges(doubtful)] }),
      ids,
    },
  };
}
