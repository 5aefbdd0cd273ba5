/** Pages of the lists of targets and executions. */
import { grpcCodes } from '../../wire/errors.ts';
import { refusal } from '../errors.ts';

/** The service's limits of a page. */
const defaultLimit = 100;
const maxLimit = 1000;

export interface Paging {
  readonly offset: string;
  readonly limit: number;
  readonly asc: boolean;
}

export interface Page<T> {
  readonly rows: T[];
  readonly total: number;
  readonly limit: number;
}

/** `keyOf` gives what is sorted by; equal ones keep the order in which they were made. */
export function pageOf<T>(
  rows: Iterable<T>,
  paging: Paging | undefined,
  keep: (row: T) => boolean,
  keyOf: (row: T) => string | number,
): Page<T> {
  const limit = paging === undefined || paging.limit === 0 ? defaultLimit : paging.limit;
  if (limit > maxLimit) throw refusal(grpcCodes.invalidArgument, 'QUERY-4M0fs', 'Errors.Query.LimitExceeded');
  const found = [...rows].filter(keep).sort((a, b) => compare(keyOf(a), keyOf(b)));
  if (paging?.asc !== true) found.reverse();
  const offset = Number(paging?.offset ?? 0);
  return { rows: found.slice(offset, offset + limit), total: found.length, limit };
}

function compare(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The methods of all generations end alike: `..._EQUALS`, `..._CONTAINS_IGNORE_CASE`. */
export function textMatches(text: string, wanted: string, method: string | number): boolean {
  const name = String(method);
  const ignoreCase = name.endsWith('_IGNORE_CASE');
  const [one, other] = ignoreCase ? [text.toLowerCase(), wanted.toLowerCase()] : [text, wanted];
  if (name.includes('_STARTS_WITH')) return one.startsWith(other);
  if (name.includes('_ENDS_WITH')) return one.endsWith(other);
  return name.includes('_CONTAINS') ? one.includes(other) : one === other;
}
