/** Paging and the `details` of lists. */
import type { Input } from '../wire/message.ts';
import type { listDetails, ListQuery } from '../wire/details.ts';
import { formatTimestamp } from '../wire/scalars.ts';
import type { ServerState } from './context.ts';
import { refusal } from './errors.ts';

export interface Page {
  readonly offset: number;
  readonly limit: number;
  readonly ascending: boolean;
}

/** One page of a list, and how many entries the whole list has. */
export interface Found<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** Entries of a page of version 2 when the request has no limit. */
export const defaultPage = 100;
const maxPagination = 1000;

/** Paging by `query`, without an upper limit. Version 1 gives all entries when the request has no limit. */
export function pageOf(query: ListQuery | undefined, defaultLimit = Infinity): Page {
  const limit = query?.limit ?? 0;
  return {
    offset: Number(query?.offset ?? 0),
    limit: limit === 0 ? defaultLimit : limit,
    ascending: query?.asc === true,
  };
}

/** Paging by `pagination`, as the newer services of version 2 have it. */
export function paginationOf(query: ListQuery | undefined): Page {
  const page = pageOf(query, defaultPage);
  if (page.limit <= maxPagination) return page;
  throw refusal('QUERY-4M0fs');
}

export function takePage<T>(items: readonly T[], page: Page): Found<T> {
  return { rows: items.slice(page.offset, page.offset + page.limit), total: items.length };
}

/** A page of rows that are sorted upwards: highest first unless asked otherwise. */
export function pageFrom<T>(rows: readonly T[], page: Page): Found<T> {
  if (page.ascending) return takePage(rows, page);
  const end = Math.max(0, rows.length - page.offset);
  return { rows: rows.slice(Math.max(0, end - page.limit), end).toReversed(), total: rows.length };
}

/** Equal ones keep their order. */
export const sortedBy = <T>(rows: Iterable<T>, keyOf: (row: T) => string | number): T[] =>
  [...rows].sort((a, b) => compare(keyOf(a), keyOf(b)));

function compare(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export const paginationDetails = (total: number, page: Page) => ({
  totalResult: String(total),
  appliedLimit: String(page.limit),
});

/** Of a list of version 1 that shows a table. An empty page has no total, as in the service. */
export function listDetailsV1(
  { lists }: Pick<ServerState, 'lists'>,
  table: string,
  { rows, total }: Found<unknown>,
): Input<typeof listDetails> {
  const totalResult = rows.length === 0 ? '0' : String(total);
  return { totalResult, viewTimestamp: formatTimestamp(lists.upTo(table)) };
}

/** Of a list of the first generation of actions, which never lags. */
export const listDetailsNow = ({ settings }: Pick<ServerState, 'settings'>, { total }: Found<unknown>) => ({
  totalResult: String(total),
  viewTimestamp: formatTimestamp(settings.clock.now()),
});

/** Whether a row is what a query asks for, by the name of the query. */
export type Filters<Row, Query> = {
  readonly [Name in keyof Query]-?: (row: Row, query: NonNullable<Query[Name]>) => boolean;
};

/** The rows that all queries ask for. */
export function filtered<Row, Query extends object>(
  rows: Iterable<Row>,
  queries: readonly Query[],
  filters: Filters<Row, Query>,
): Row[] {
  const tests = queries.flatMap((query) =>
    (Object.keys(filters) as (keyof Query)[]).flatMap((name) => {
      const asked = query[name];
      return asked === undefined ? [] : [(row: Row) => filters[name](row, asked!)];
    }),
  );
  return [...rows].filter((row) => tests.every((test) => test(row)));
}

/** A page of a list of version 1, each row as `show` gives it. */
export function listPage<Row, Shown>(
  state: Pick<ServerState, 'lists'>,
  table: string,
  rows: readonly Row[],
  query: ListQuery | undefined,
  show: (row: Row) => Shown,
) {
  const found = takePage(rows, pageOf(query));
  return { details: listDetailsV1(state, table, found), result: found.rows.map((row) => show(row)) };
}

/** The details of a list of version 2. */
export function listDetailsV2(
  state: Pick<ServerState, 'lists'>,
  table: string,
  found: Found<unknown>,
): Input<typeof listDetails> {
  const { totalResult, viewTimestamp } = listDetailsV1(state, table, found);
  return { totalResult, timestamp: viewTimestamp };
}
