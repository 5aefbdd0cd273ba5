/** The lines of a journal: their meaning, and how they are written and read. docs/resume.md shows them. */
import { z } from 'zod';
import { isText, parseObject } from '../lib/json-value.ts';
import type { ResourceKind } from '../records/resource.ts';

/** Format in the first line of every journal. */
export const format = 'idport-journal';
export const version = 1;

const text = z.string();
const number = z.number();
const texts = z.array(text);

/** First and last of consecutive numbers: `[0,1,2,7]` is written `[[0,2],[7,7]]`. */
type Range = [from: number, to: number];

/** More entries would not fit into memory. */
const mostEntries = 2 ** 30;

/** What the run is about. A run resumes a journal only if everything but `startedAt` and the names is the same. */
const headerSchema = z.object({
  verb: text,
  input: z.object({
    /** Names as they were given; for a running system, its address. */
    names: texts,
    /** For a running system, the flag that names it. */
    live: text.optional(),
    bytes: number,
    sha256: text,
  }),
  url: text,
  orgs: texts,
  /** Lists in the order of sending, with their numbers of entries. Entries are numbered through all lists. */
  plan: z.array(z.tuple([text, z.int().nonnegative()])).refine((plan) => entriesOf({ plan }) < mostEntries),
  /** Everything else that changes the meaning of the journal, for example the route. */
  settings: z.record(text, text),
  /** Time on the service's clock, in milliseconds since 1970. */
  startedAt: number,
  /**
   * When the newest user was created that the service had before the first request, on the clock that stamps users, in
   * milliseconds. The run created no user up to that time.
   */
  newestBefore: number.optional(),
  /** Journals in the same folder of runs that this one replaced without resuming them; oldest first. */
  follows: texts.optional(),
  /** For a journal that idport merge made: the journals of the shards in the same folder. */
  merges: texts.optional(),
  /**
   * Resources that were not at the target before the first request. The run creates them. `of` is the id of the organization or
   * project, or of the one that a role, project grant or application belongs to; for an identity provider it is the alias. `name`
   * is the key of a role, or the organization to which a project is granted.
   */
  creates: z.array(z.tuple([z.custom<ResourceKind>(isText), text, text, text])).optional(),
  /** Path of the id map of the run. */
  idMap: text.optional(),
  /** Command that began the run, without secrets. */
  typed: text.optional(),
});

export type CreatedResource = readonly [kind: ResourceKind, org: string, of: string, name: string];

export type Schemas = ReturnType<typeof schemasOf>;

/** Returns the schemas of the other lines of a run with so many entries. A line that names a higher one is invalid. */
export function schemasOf(entries: number) {
  const entry = z.int().nonnegative().lt(entries);
  /** Ascending numbers. Checked before they are expanded, because one digit too many would make billions of them. */
  const numbers = z.codec(
    z.array(z.tuple([entry, entry]).refine(([from, to]) => from <= to)),
    z.array(number),
    {
      decode: fromRanges,
      encode: toRanges,
    },
  );
  const failures = z.codec(z.array(z.tuple([entry, text, text])), z.array(z.custom<Failure>()), {
    decode: (triples) => triples.map(([entry, code, detail]) => ({ entry, code, detail })),
    encode: (list) => list.map(({ entry, code, detail }): [number, string, string] => [entry, code, detail]),
  });
  const ids = z.array(z.tuple([entry, text]));
  return {
    /** Written before a request is sent. */
    intent: z.object({
      /** Time on the service's clock, in milliseconds since 1970. */
      at: number,
      /** Numbers of the entries in the request, ascending. */
      entries: numbers,
      /** Users among them in the same order: id (may be empty), user name, and a fingerprint of the record. */
      users: z.array(z.tuple([text, text, text])),
      /** Users among them that are sent with another id than in the source. */
      ids: ids.optional(),
      /** Fingerprints of the user grants among them, in the same order. */
      grants: texts.optional(),
      /** Generation of the object in a bucket that the service is told to read; empty if it has none. */
      object: text.optional(),
      /**
       * For a user who is changed in place: when the service said before that the user was last written, on the clock that stamps
       * users, in milliseconds. It shows whether anyone else had changed the user by then.
       */
      changedAt: number.optional(),
    }),
    /** Written when the result is known as far as possible. Entries of the intent that are not named were not done. */
    outcome: z.object({
      created: numbers,
      /** Created by a previous run and changed in place by this one. */
      changed: numbers.optional(),
      /** Existed before this run. */
      existed: numbers,
      failed: failures,
      /** Done except for a part. */
      noted: failures,
      /** Not found, but perhaps done after all. If they are sent again, existing ones may turn out to be from this run. */
      unconfirmed: numbers.optional(),
      /** Ids that the service chose itself. */
      ids,
      /** When the request last wrote, on the clock that stamps users, in milliseconds; absent if not known. */
      writtenAt: number.optional(),
    }),
  };
}

const written = schemasOf(Infinity);

/**
 * A user of a previous run who is gone from the source. One line is written before the request, and one after it, which replaces
 * the first.
 */
const leftSchema = z.object({
  /** Id in the source, or else the user name; the other one is empty. */
  user: z.tuple([text, text]),
  /** Id at the target. */
  id: text,
  done: z.enum(['deactivated', 'deleting', 'deleted']),
  /** When the request was sent, by the service's `Date`, in milliseconds. */
  at: number,
  /**
   * `changedAt`: when the user was last written before. `writtenAt`: when this request wrote. Both on the clock that stamps
   * users, in milliseconds.
   */
  changedAt: number.optional(),
  writtenAt: number.optional(),
});

export interface Failure {
  readonly entry: number;
  /** A reason code. */
  readonly code: string;
  /** Never contains a secret. */
  readonly detail: string;
}

type Frozen<Value> = { readonly [Name in keyof Value]: Frozen<Value[Name]> };
/** `attempt` is the number of the request in the run, from 1. Lines have it under the name of their kind. */
type Numbered<Schema extends z.ZodType> = Frozen<z.output<Schema> & { attempt: number }>;

export type JournalHeader = Frozen<z.output<typeof headerSchema>>;
export type Intent = Numbered<Schemas['intent']>;
export type AttemptOutcome = Numbered<Schemas['outcome']>;
export type Left = Frozen<z.output<typeof leftSchema>>;

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
      return JSON.stringify({ intent: line.intent.attempt, ...encode(written.intent, line.intent) });
    case 'outcome':
      return JSON.stringify({ outcome: line.outcome.attempt, ...encode(written.outcome, line.outcome) });
    case 'left':
      return JSON.stringify({ left: line.left });
    case 'end':
      return JSON.stringify({ end: line.at, attempts: line.attempts });
  }
}

/** Encodes the values in the order of the schema. An optional list is left out if it is empty. */
function encode(schema: z.ZodObject, values: object) {
  const isKept = ([name, value]: readonly [string, unknown]) =>
    !(Array.isArray(value) && value.length === 0 && schema.shape[name] instanceof z.ZodOptional);
  return Object.fromEntries(Object.entries(z.encode(schema, values as never)).filter(isKept));
}

/** Returns undefined for any other line. */
export function decodeLine(text: string, { intent, outcome } = written): Line | undefined {
  const fields = parseObject(text);
  const { intent: sent, outcome: settled, left, end, attempts } = fields;
  if (fields['format'] === format) {
    const header = fields['version'] === version ? headerSchema.safeParse(fields).data : undefined;
    return header && { kind: 'header', header };
  }
  if (typeof sent === 'number') {
    const { data } = intent.safeParse(fields);
    return data && { kind: 'intent', intent: { attempt: sent, ...data } };
  }
  if (typeof settled === 'number') {
    const { data } = outcome.safeParse(fields);
    return data && { kind: 'outcome', outcome: { attempt: settled, ...data } };
  }
  const { data } = leftSchema.safeParse(left);
  if (data !== undefined) return { kind: 'left', left: data };
  return typeof end === 'number' && typeof attempts === 'number'
    ? { kind: 'end', at: end, attempts }
    : undefined;
}

/** Returns the version in a first line of any version, or undefined for the line of another file. */
export function versionOf(text: string) {
  const [, written] = /^\{"format":"idport-journal","version":(\d+)/.exec(text) ?? [];
  return written === undefined ? undefined : Number(written);
}

/** Returns the number of entries of a run. */
export function entriesOf({ plan }: { readonly plan: readonly (readonly [list: string, count: number])[] }) {
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
