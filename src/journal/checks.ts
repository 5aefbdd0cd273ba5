/** A parsed line of a journal in, whether it is one that a run has written out: a file may have been changed since. */
import type { Intent, Outcome } from './lines.ts';
import type { Range } from './ranges.ts';

export const format = 'idport-journal';
export const version = 1;

export type Fields = Readonly<Record<string, unknown>>;

export interface WrittenIntent extends Omit<Intent, 'attempt' | 'entries'> {
  readonly intent: number;
  readonly entries: readonly Range[];
}

export interface WrittenOutcome {
  readonly outcome: number;
  readonly created: readonly Range[];
  readonly existed: readonly Range[];
  readonly failed: readonly Triple[];
  readonly noted: readonly Triple[];
  readonly doubtful?: readonly Range[];
  readonly ids: Outcome['ids'];
}

export type Triple = readonly [entry: number, code: string, detail: string];

/** A run of more entries would not fit into memory, and no service takes so many. */
const mostEntries = 2 ** 30;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isHeader({ version: written, verb, input, url, orgs, plan, settings }: Fields): boolean {
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
    isObject(settings)
  );
}

export function isIntent(fields: Fields, limit: number): fields is Fields & WrittenIntent {
  const { intent, at, entries, people } = fields;
  return (
    typeof intent === 'number' &&
    typeof at === 'number' &&
    areRanges(entries, limit) &&
    isListOf(people, (person) => isListOf(person, isText) && person.length === 3)
  );
}

export function isOutcome(fields: Fields, limit: number): fields is Fields & WrittenOutcome {
  const { outcome, created, existed, failed, noted, doubtful = [], ids } = fields;
  const isTriple = (value: unknown): boolean =>
    Array.isArray(value) && isBelow(value[0], limit) && isText(value[1]) && isText(value[2]);
  return (
    typeof outcome === 'number' &&
    [created, existed, doubtful].every((ranges) => areRanges(ranges, limit)) &&
    [failed, noted].every((list) => isListOf(list, isTriple)) &&
    isListOf(ids, (pair) => Array.isArray(pair) && isBelow(pair[0], limit) && isText(pair[1]))
  );
}

/** Checked before they are told one by one: a single digit too many would make thousands of millions of them. */
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

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isListOf<Item>(value: unknown, check: (item: unknown) => item is Item): value is Item[];
function isListOf(value: unknown, check: (item: unknown) => boolean): value is unknown[];
function isListOf(value: unknown, check: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(check);
}
