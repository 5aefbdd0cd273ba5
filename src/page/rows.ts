/** Unpacks, filters and exports the rows of a page. Runs in the browser. */
import { encodeRow } from '../lib/csv.ts';
import { printable } from '../lib/format.ts';
import { groupBy } from '../lib/group-by.ts';

/** A part and reasons are numbers of `RowNames`. Each reason is with its detail. */
export type PackedRow = readonly [
  part: number,
  outcome: string,
  userName: string,
  email: string,
  id: string,
  org: string,
  place: string,
  reasons: readonly (readonly [reason: number, detail: string])[],
];

/** Names that numbers in the rows stand for. */
export interface RowNames {
  /** Number of users in the report files. The page may have fewer. */
  readonly total: number;
  readonly parts: readonly string[];
  /** Report files by part, which name all users. */
  readonly files: readonly string[];
  readonly reasons: readonly (readonly [code: string, remedy: string, title: string])[];
  /** Codes of the reasons that keep a user from signing in. */
  readonly barring: readonly string[];
}

/** A choice in the filter of reasons: all users with one of `barring`. */
export const cannotSignIn = 'cannot sign in';

export type Row = ReturnType<typeof unpack>;

/** Replaces each value that the row before has as well by `null`. */
export const shorten = (row: PackedRow, before?: PackedRow) =>
  row.map((value, at) => (JSON.stringify(value) === JSON.stringify(before?.[at]) ? null : value));

/** Fills in the values that `shorten` replaced. */
export function lengthen(rows: readonly unknown[][]) {
  for (const [at, row] of rows.entries())
    for (const column of row.keys()) row[column] ??= rows[at - 1]![column];
  return rows as unknown as PackedRow[];
}

export function unpack(packed: PackedRow, names: RowNames) {
  const [part, outcome, userName, email, id, org, place, packedReasons] = packed;
  const reasons = packedReasons.map(([reason, detail]) => {
    const [code = '', remedy = '', title = ''] = names.reasons[reason] ?? [];
    return { code, title, detail, remedy };
  });
  return { part: names.parts[part] ?? '', outcome, userName, email, id, org, place, reasons };
}

/** Combines one user's rows of several runs: the last outcome, with every reason once. */
export function unpackUser(packed: readonly PackedRow[], names: RowNames): Row {
  const rows = packed.map((row) => unpack(row, names));
  const reasons = rows.flatMap((row) => row.reasons);
  const unique = new Map(reasons.map((reason) => [`${reason.title}\n${reason.detail}`, reason]));
  const { email, place } = rows[0]!;
  return { ...rows.at(-1)!, email, place, reasons: [...unique.values()] };
}

/** Columns by which rows are filtered. */
export const choices = ['part', 'outcome', 'reason', 'org'] as const;
export type Choice = (typeof choices)[number];

function valuesOf(
  row: PackedRow,
  { parts, reasons, barring }: RowNames,
): Readonly<Record<Choice, readonly string[]>> {
  const codes = new Set(row[7].map(([reason]) => reasons[reason]?.[0] ?? ''));
  const isBarred = barring.some((code) => codes.has(code));
  return {
    part: [parts[row[0]] ?? ''],
    outcome: [row[1]],
    org: [row[5]],
    reason: [...(isBarred ? [cannotSignIn] : []), ...codes],
  };
}

/** Values to filter by. Empty and undefined values do not filter. */
export interface Filter extends Partial<Record<Choice, string>> {
  /** Words that must all occur in the texts of a row. */
  readonly search: string;
}

/** Returns the indexes of matching rows. `texts` caches the searched texts. */
export function filterRows(
  rows: readonly PackedRow[],
  names: RowNames,
  filter: Filter,
  texts: string[] = [],
) {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = choices.filter((name) => filter[name]);
  const found: number[] = [];
  for (const [at, row] of rows.entries()) {
    if (chosen.length > 0) {
      const values = valuesOf(row, names);
      if (!chosen.every((name) => values[name].includes(filter[name]!))) continue;
    }
    if (words.length > 0) {
      const text = (texts[at] ??= textOf(row, names));
      if (!words.every((word) => text.includes(word))) continue;
    }
    found.push(at);
  }
  return found;
}

/** Groups rows by user (user name and id). The rows of one user are in the order of the runs. */
export function groupByUser(rows: readonly PackedRow[], found: readonly number[]) {
  const users = groupBy(found, (at) => {
    const [, , userName, , id] = rows[at]!;
    return userName + id === '' ? `${at}` : `${userName.toLowerCase()}\n${id}`;
  });
  return Array.from(users.values(), (user) => user.map((at) => rows[at]!).sort(([a], [b]) => a - b));
}

function textOf(row: PackedRow, names: RowNames) {
  const { userName, email, id, org, place, reasons, outcome } = unpack(row, names);
  const texts = reasons.flatMap(({ code, title, detail }) => [code, title, detail]);
  return [userName, email, id, org, place, outcome, ...texts].join('\n').toLowerCase();
}

/** Counts the users with each value, most frequent first. `cannot sign in` comes before all reasons. */
export function countValues(users: readonly (readonly PackedRow[])[], names: RowNames) {
  const all = users.map((user) => user.map((row) => valuesOf(row, names)));
  const weight = ([value, count]: readonly [string, number]) => (value === cannotSignIn ? Infinity : count);
  const counted = (name: Choice) => {
    const counts = new Map<string, number>();
    for (const values of all)
      for (const value of new Set(values.flatMap((of) => of[name])))
        if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
    return [...counts].sort((a, b) => weight(b) - weight(a));
  };
  return {
    part: counted('part'),
    outcome: counted('outcome'),
    reason: counted('reason'),
    org: counted('org'),
  };
}

/** Joins what is not empty, once each. */
export const join = (texts: readonly string[], sign: string) =>
  [...new Set(texts)].filter(Boolean).join(sign);

const columns = [
  'run',
  'outcome',
  'reason',
  'detail',
  'user_name',
  'email',
  'id',
  'organization',
  'place',
  'remedy',
];

/** Returns CSV (RFC 4180) that a spreadsheet may open, with one line per user and run. */
export function toCsv(rows: Iterable<Row>) {
  const lines = [`${columns.join(',')}\n`];
  for (const { part, outcome, userName, email, id, org, place, reasons } of rows) {
    const all = (key: 'code' | 'detail' | 'remedy') =>
      join(
        reasons.map((reason) => reason[key]),
        '; ',
      );
    const fields = [
      part,
      outcome,
      all('code'),
      all('detail'),
      userName,
      email,
      id,
      org,
      place,
      all('remedy'),
    ];
    lines.push(encodeRow(fields.map(printable)));
  }
  return lines;
}
