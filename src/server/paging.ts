/** Paging and filters of lists, and their `details`. */
import type { ListQuery } from '../wire/details.ts';
import type { ServerState } from './method.ts';
import { refuseIf } from './errors.ts';

/** One page of a list, and the number of entries in the whole list. */
export interface Found<T> {
  readonly rows: readonly T[];
  readonly total: number;
}

/** Number of entries on a page of version 2 if the request has no limit. */
export const defaultPage = 100;
const maxPagination = 1000;

export type Page = ReturnType<typeof pageOf>;

/** Reads the paging of a request. There is no upper limit. Version 1 returns all entries if the request has no limit. */
export function pageOf(query: ListQuery | undefined, defaultLimit = Infinity) {
  return {
    offset: Number(query?.offset ?? 0),
    limit: query?.limit || defaultLimit,
    ascending: query?.asc === true,
  };
}

export function takePage<T>(items: readonly T[], page: Page): Found<T> {
  return { rows: items.slice(page.offset, page.offset + page.limit), total: items.length };
}

/** Returns a page of rows that are in ascending order. By default the highest comes first. */
export function pageFrom<T>(rows: readonly T[], page: Page): Found<T> {
  if (page.ascending) return takePage(rows, page);
  const end = Math.max(0, rows.length - page.offset);
  return { rows: rows.slice(Math.max(0, end - page.limit), end).toReversed(), total: rows.length };
}

type Key = string | number | boolean;

/** Sorts rows. Rows with equal keys keep their order. */
export const sortedBy = <T>(rows: Iterable<T>, keyOf: (row: T) => Key) =>
  [...rows].sort((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    return Number(a > b) - Number(a < b);
  });

/**
 * Returns a page by `pagination`, as the newer services of version 2 do; `list` is the name of its entries. By default
 * the newest or highest comes first.
 */
export function paginated<Name extends string, Row, Shown>(
  list: Name,
  rows: readonly Row[],
  query: ListQuery | undefined,
  show: (row: Row) => Shown,
  take = pageFrom<Row>,
) {
  const page = pageOf(query, defaultPage);
  refuseIf(page.limit > maxPagination, 'QUERY-4M0fs');
  const found = take(rows, page);
  const pagination = { totalResult: String(found.total), appliedLimit: String(page.limit) };
  return { pagination, ...({ [list]: found.rows.map(show) } as Record<Name, Shown[]>) };
}

/** Returns a page of a version 1 list, each row converted by `show`. */
export function listPage<Row, Shown>(
  state: ServerState,
  table: string,
  rows: readonly Row[],
  query: ListQuery | undefined,
  show: (row: Row) => Shown,
) {
  return listV1(state, table, takePage(rows, pageOf(query)), show);
}

/** Returns the rows of a page with the details of their list. As in the service, an empty page has a total of 0. */
export function listV1<Row, Shown>(
  { lists }: ServerState,
  table: string,
  { rows, total }: Found<Row>,
  show: (row: Row) => Shown,
) {
  const totalResult = rows.length === 0 ? '0' : String(total);
  return {
    details: { totalResult, viewTimestamp: lists.upTo(table) },
    result: rows.map(show),
  };
}

export function listV2<Row, Shown>(...found: Parameters<typeof listV1<Row, Shown>>) {
  const { details, result } = listV1(...found);
  return { details: { totalResult: details.totalResult, timestamp: details.viewTimestamp }, result };
}

type Test<Row> = (row: Row) => boolean;

/** For each kind of query, by its name, the test that it puts on a row. */
export type Filters<Row, Query> = {
  readonly [Name in keyof Query]-?: (asked: NonNullable<Query[Name]>) => Test<Row>;
};

/** Returns the tests that the queries put on a row. */
export const testsOf = <Row, Query extends object>(queries: readonly Query[], filters: Filters<Row, Query>) =>
  queries.flatMap((query) =>
    (Object.keys(filters) as (keyof Query)[]).flatMap((name) => {
      const asked = query[name];
      return asked === undefined ? [] : filters[name](asked!);
    }),
  );

/** Returns the rows that match all queries. */
export function filtered<Row, Query extends object>(
  rows: Iterable<Row>,
  queries: readonly Query[],
  filters: Filters<Row, Query>,
) {
  const tests = testsOf(queries, filters);
  return [...rows].filter((row) => tests.every((test) => test(row)));
}

const comparisons: Readonly<Record<string, (text: string, value: string) => boolean>> = {
  EQUALS: (text, value) => text === value,
  STARTS_WITH: (text, value) => text.startsWith(value),
  CONTAINS: (text, value) => text.includes(value),
  ENDS_WITH: (text, value) => text.endsWith(value),
};

/** Returns the test for a method such as `TEXT_QUERY_METHOD_STARTS_WITH_IGNORE_CASE` or `TEXT_FILTER_METHOD_EQUALS`. */
export function matcher(method: string | number, value: string): Test<string> {
  const [, name = '', ignoreCase] =
    /^TEXT_(?:QUERY|FILTER)_METHOD_(.*?)(_IGNORE_CASE)?$/.exec(String(method)) ?? [];
  const compare = comparisons[name]!;
  if (ignoreCase === undefined) return (text) => compare(text, value);
  const lower = value.toLowerCase();
  return (text) => compare(text.toLowerCase(), lower);
}

/** Filter of a query with a text and a method. The row's text must match, or at least one of several. */
export const byText =
  <Row>(textsOf: (row: Row) => string | readonly string[]) =>
  ({ method, ...named }: { method: string | number }): Test<Row> => {
    const [value] = Object.values<unknown>(named);
    const matches = matcher(method, String(value));
    return (row) => [textsOf(row)].flat().some(matches);
  };

/** Filter of a query with one value, which the row's column must equal. */
export const byColumn =
  <Name extends string>(column: Name) =>
  (asked: Readonly<Record<Name, string>>): Test<Readonly<Record<Name, string>>> =>
  (row) =>
    row[column] === asked[column];
