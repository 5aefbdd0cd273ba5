/** The rows of the list as they stand in the page: how they are packed, found and exported. Runs in the browser. */
import { quoteField } from '../lib/csv.ts';
import { printable } from '../lib/printable.ts';

/** Part, outcome, user name, email, id, organization, input, record or -1; then pairs of reason and detail. */
export type PackedRow = readonly [
  number,
  number,
  string,
  string,
  string,
  number,
  number,
  number,
  ...(number | string)[],
];

/** What the numbers in the rows stand for. */
export interface RowNames {
  /** Users in the report files; the page may have fewer. */
  readonly total: number;
  readonly parts: readonly string[];
  /** Report files by part: they name all users. */
  readonly files: readonly string[];
  readonly outcomes: readonly string[];
  readonly orgs: readonly string[];
  readonly inputs: readonly string[];
  readonly reasons: readonly (readonly [code: string, remedy: string, title: string])[];
  /** Codes of those reasons that keep a user from signing in. */
  readonly barring: readonly string[];
}

/** Can be chosen in the place of a reason: all users who have one of `barring`. */
export const cannotSignIn = 'cannot sign in';

export interface Row {
  readonly part: string;
  readonly outcome: string;
  readonly userName: string;
  readonly email: string;
  readonly id: string;
  readonly org: string;
  readonly place: string;
  readonly reasons: readonly Reason[];
}

interface Reason {
  readonly code: string;
  /** What the code means, in a few words. */
  readonly title: string;
  readonly detail: string;
  readonly remedy: string;
}

export function unpack(packed: PackedRow, names: RowNames): Row {
  const [part, outcome, userName, email, id, org, input, index, ...reasons] = packed;
  const pairs: Reason[] = [];
  for (let at = 0; at < reasons.length; at += 2) {
    const [code = '', remedy = '', title = ''] = names.reasons[Number(reasons[at])] ?? [];
    pairs.push({ code, title, detail: String(reasons[at + 1] ?? ''), remedy });
  }
  const file = names.inputs[input] ?? '';
  return {
    part: names.parts[part] ?? '',
    outcome: names.outcomes[outcome] ?? '',
    userName,
    email,
    id,
    org: names.orgs[org] ?? '',
    place: index === -1 ? file : `${file} #${index}`,
    reasons: pairs,
  };
}

/** An empty text or undefined is no condition. */
export interface Filter {
  /** Words that all have to occur, in any of the texts of a row. */
  readonly search: string;
  readonly part?: string | undefined;
  readonly reason?: string | undefined;
  readonly outcome?: string | undefined;
  readonly org?: string | undefined;
}

/** The numbers of the rows that fit. `texts` keeps from search to search what is searched. */
export function filterRows(
  rows: readonly PackedRow[],
  names: RowNames,
  filter: Filter,
  texts: string[] = [],
): number[] {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const numberOf = (list: readonly string[], text: string | undefined): number | undefined =>
    text === undefined || text === '' ? undefined : list.indexOf(text);
  const part = numberOf(names.parts, filter.part);
  const outcome = numberOf(names.outcomes, filter.outcome);
  const org = numberOf(names.orgs, filter.org);
  const codes = names.reasons.map(([code]) => code);
  const reasons = filter.reason === cannotSignIn ? names.barring : [filter.reason ?? ''];
  const found: number[] = [];
  for (const [at, row] of rows.entries()) {
    if (part !== undefined && row[0] !== part) continue;
    if (outcome !== undefined && row[1] !== outcome) continue;
    if (org !== undefined && row[5] !== org) continue;
    if (filter.reason && !hasReason(row, codes, reasons)) continue;
    if (words.length > 0) {
      const text = (texts[at] ??= textOf(row, names));
      if (!words.every((word) => text.includes(word))) continue;
    }
    found.push(at);
  }
  return found;
}

function hasReason(row: PackedRow, codes: readonly string[], reasons: readonly string[]): boolean {
  for (let at = 8; at < row.length; at += 2) if (reasons.includes(codes[Number(row[at])] ?? '')) return true;
  return false;
}

function textOf(row: PackedRow, names: RowNames): string {
  const { userName, email, id, org, place, reasons, outcome } = unpack(row, names);
  const texts = reasons.flatMap(({ code, title, detail }) => [code, title, detail]);
  return [userName, email, id, org, place, outcome, ...texts].join('\n').toLowerCase();
}

/** How many rows have each value, the most frequent first; before all reasons, who cannot sign in. */
export function countValues(rows: readonly PackedRow[], names: RowNames) {
  const parts = new Map<string, number>();
  const outcomes = new Map<string, number>();
  const orgs = new Map<string, number>();
  const reasons = new Map<string, number>();
  let barred = 0;
  const add = (counts: Map<string, number>, text: string | undefined): void => {
    if (text !== undefined && text !== '') counts.set(text, (counts.get(text) ?? 0) + 1);
  };
  for (const row of rows) {
    add(parts, names.parts[row[0]]);
    add(outcomes, names.outcomes[row[1]]);
    add(orgs, names.orgs[row[5]]);
    const codes = new Set<string | undefined>();
    for (let at = 8; at < row.length; at += 2) codes.add(names.reasons[Number(row[at])]?.[0]);
    for (const code of codes) add(reasons, code);
    if (names.barring.some((code) => codes.has(code))) barred += 1;
  }
  const sort = (counts: Map<string, number>): [string, number][] => [...counts].sort(([, a], [, b]) => b - a);
  return {
    parts: sort(parts),
    outcomes: sort(outcomes),
    orgs: sort(orgs),
    reasons: [...(barred === 0 ? [] : [[cannotSignIn, barred] as [string, number]]), ...sort(reasons)],
  };
}

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

/** CSV (RFC 4180) that a spreadsheet may open, one line per user. */
export function toCsv(rows: Iterable<Row>): string[] {
  const lines = [`${columns.join(',')}\n`];
  for (const { part, outcome, userName, email, id, org, place, reasons } of rows) {
    const join = (key: 'code' | 'detail' | 'remedy'): string =>
      [...new Set(reasons.map((reason) => reason[key]).filter(Boolean))].join('; ');
    const fields = [
      part,
      outcome,
      join('code'),
      join('detail'),
      userName,
      email,
      id,
      org,
      place,
      join('remedy'),
    ];
    lines.push(`${fields.map((field) => quoteField(printable(field))).join(',')}\n`);
  }
  return lines;
}
