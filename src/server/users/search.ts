/** Searches users: by an index where one helps, else in one pass. */
import type { TextQueryMethod } from '../../wire/details.ts';
import type { UserFieldName, UserQuery } from '../../wire/user-search.ts';
import { displayNameOf, loginNamesOf, stateNames } from './show.ts';
import type { Found } from '../paging.ts';
import { refusal, unknown } from '../errors.ts';
import type { UserRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { findByLoginName } from './names.ts';

type Test = (user: UserRow) => boolean;
type Method = TextQueryMethod | number;

const comparisons: Readonly<Record<string, (text: string, value: string) => boolean>> = {
  EQUALS: (text, value) => text === value,
  STARTS_WITH: (text, value) => text.startsWith(value),
  CONTAINS: (text, value) => text.includes(value),
  ENDS_WITH: (text, value) => text.endsWith(value),
};

/** `TEXT_QUERY_METHOD_STARTS_WITH_IGNORE_CASE`, `TEXT_FILTER_METHOD_EQUALS`; a number that is no method never matches. */
function matcher(method: string | number, value: string): (text: string) => boolean {
  const [, name = '', ignoreCase] =
    /^TEXT_(?:QUERY|FILTER)_METHOD_(.*?)(_IGNORE_CASE)?$/.exec(String(method)) ?? [];
  const compare = comparisons[name];
  if (compare === undefined) return () => false;
  if (ignoreCase === undefined) return (text) => compare(text, value);
  const lower = value.toLowerCase();
  return (text) => compare(text.toLowerCase(), lower);
}

export const compareText = (method: string | number, text: string, value: string): boolean =>
  matcher(method, value)(text);

function textTest(read: (user: UserRow) => string, requested: string, method: Method): Test {
  const matches = matcher(method, requested);
  return (user) => matches(read(user));
}

/** What a query asks of one user. A query without a member matches no user. */
function testOf(store: Store, query: UserQuery): Test {
  const {
    userNameQuery,
    firstNameQuery,
    lastNameQuery,
    nickNameQuery,
    displayNameQuery,
    emailQuery,
    phoneQuery,
    loginNameQuery,
    stateQuery,
    typeQuery,
    inUserIdsQuery,
    inUserEmailsQuery,
    organizationIdQuery,
    metadataKeyFilter,
    metadataValueFilter,
    orQuery,
    andQuery,
    notQuery,
  } = query;
  if (userNameQuery) return textTest((user) => user.userName, userNameQuery.userName, userNameQuery.method);
  if (firstNameQuery)
    return textTest((user) => user.firstName, firstNameQuery.firstName, firstNameQuery.method);
  if (lastNameQuery) return textTest((user) => user.lastName, lastNameQuery.lastName, lastNameQuery.method);
  if (nickNameQuery) {
    return textTest((user) => user.more?.nickName ?? '', nickNameQuery.nickName, nickNameQuery.method);
  }
  if (displayNameQuery) return textTest(displayNameOf, displayNameQuery.displayName, displayNameQuery.method);
  if (emailQuery) return textTest((user) => user.email, emailQuery.emailAddress, emailQuery.method);
  if (phoneQuery) return textTest((user) => user.more?.phone ?? '', phoneQuery.number, phoneQuery.method);
  if (loginNameQuery) {
    const matches = matcher(loginNameQuery.method, loginNameQuery.loginName);
    return (user) => loginNamesOf(store, user).some(matches);
  }
  if (stateQuery) return (user) => stateNames[user.status] === stateQuery.state;
  if (typeQuery) return (user) => typeQuery.type === (user.kind === 'human' ? 'TYPE_HUMAN' : 'TYPE_MACHINE');
  if (inUserIdsQuery) {
    const ids = new Set(inUserIdsQuery.userIds);
    return (user) => ids.has(user.id);
  }
  if (inUserEmailsQuery) {
    if (inUserEmailsQuery.userEmails.length === 0) throw unknown('values array must not be empty');
    const emails = new Set(inUserEmailsQuery.userEmails);
    return (user) => emails.has(user.email);
  }
  if (organizationIdQuery) return inOrg(organizationIdQuery.organizationId);
  if (metadataKeyFilter) {
    const matches = matcher(metadataKeyFilter.method, metadataKeyFilter.key);
    return (user) => Object.keys(user.more?.metadata ?? {}).some(matches);
  }
  if (metadataValueFilter) {
    const matches = matcher(metadataValueFilter.method, fromBase64(metadataValueFilter.value));
    return (user) => Object.values(user.more?.metadata ?? {}).some(({ value }) => matches(fromBase64(value)));
  }
  if (orQuery) {
    const tests = orQuery.queries.map((inner) => testOf(store, inner));
    return (user) => tests.some((test) => test(user));
  }
  if (andQuery) return allOf(andQuery.queries.map((inner) => testOf(store, inner)));
  if (notQuery?.query !== undefined) {
    const test = testOf(store, notQuery.query);
    return (user) => !test(user);
  }
  return () => false;
}

const inOrg =
  (orgId: string): Test =>
  (user) =>
    user.orgId === orgId;

const allOf =
  (tests: readonly Test[]): Test =>
  (user) =>
    tests.every((test) => test(user));

const fromBase64 = (value: string): string => Buffer.from(value, 'base64').toString('utf8');

const maxLevels = 20;
/** As many values as one statement of PostgreSQL takes; a part of a query counts as one. */
const maxValues = 65_535;

/** Throws for queries nested too deep, and for more values than the database of the service takes. */
function checkSize(queries: readonly UserQuery[]): void {
  let values = 0;
  const count = (inner: readonly UserQuery[], level: number): void => {
    if (level > maxLevels && inner.length > 0) throw refusal('USER-zsQ97');
    for (const { orQuery, andQuery, notQuery, inUserIdsQuery, inUserEmailsQuery } of inner) {
      values += inUserIdsQuery?.userIds.length ?? inUserEmailsQuery?.userEmails.length ?? 1;
      if (notQuery?.query !== undefined) count([notQuery.query], level + 1);
      else count((orQuery ?? andQuery)?.queries ?? [], level + 1);
    }
  };
  count(queries, 0);
  if (values > maxValues) throw refusal('QUERY-AG4gs');
}

/** A small set that holds every user who can match, or undefined where only a pass over all helps. */
function candidates(store: Store, query: UserQuery): readonly UserRow[] | undefined {
  if (query.inUserIdsQuery) {
    return query.inUserIdsQuery.userIds.flatMap((id) => store.users.get(id) ?? []);
  }
  if (query.userNameQuery && isExact(query.userNameQuery.method)) {
    return store.users.allByName(query.userNameQuery.userName);
  }
  if (query.loginNameQuery && isExact(query.loginNameQuery.method)) {
    const user = findByLoginName(store, query.loginNameQuery.loginName);
    return user === undefined ? [] : [user];
  }
  if (query.orQuery) {
    const parts = query.orQuery.queries.map((inner) => candidates(store, inner));
    return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
  }
  return query.andQuery === undefined ? undefined : firstCandidates(store, query.andQuery.queries);
}

function firstCandidates(store: Store, queries: readonly UserQuery[]): readonly UserRow[] | undefined {
  for (const query of queries) {
    const found = candidates(store, query);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isExact = (method: Method): boolean =>
  method === 'TEXT_QUERY_METHOD_EQUALS' || method === 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE';

export interface UserSearch {
  readonly queries: readonly UserQuery[];
  /** Only this org; all when absent. */
  readonly orgId?: string | undefined;
  /** Who may be seen at all. */
  readonly visible?: Test | undefined;
  readonly sortBy: UserFieldName | number;
  readonly offset: number;
  /** Infinity for no limit. */
  readonly limit: number;
  readonly ascending: boolean;
}

export function searchUsers(store: Store, search: UserSearch): Found<UserRow> {
  checkSize(search.queries);
  const list = store.users.list(search.orgId);
  const byCreation =
    search.sortBy === 'USER_FIELD_NAME_CREATION_DATE' || search.sortBy === 'USER_FIELD_NAME_UNSPECIFIED';
  const newestFirst = !search.ascending;
  if (byCreation && search.queries.length === 0 && search.visible === undefined) {
    return { total: list.size, rows: list.page(search.offset, search.limit, newestFirst) };
  }
  const few = firstCandidates(store, search.queries);
  const pool = few === undefined ? list.values(newestFirst) : inOrder(few, newestFirst);
  // What the caller may not see is not compared: a long query of one without a role costs next to nothing.
  const matches = allOf([
    ...(search.visible === undefined ? [] : [search.visible]),
    ...(few === undefined || search.orgId === undefined ? [] : [inOrg(search.orgId)]),
    ...search.queries.map((query) => testOf(store, query)),
  ]);
  const end = search.offset + search.limit;
  if (byCreation) {
    const rows: UserRow[] = [];
    let total = 0;
    for (const user of pool) {
      if (!matches(user)) continue;
      if (total >= search.offset && total < end) rows.push(user);
      total++;
    }
    return { total, rows };
  }
  const sorted = [...pool].filter(matches).sort(compareBy(search.sortBy, search.ascending));
  return { total: sorted.length, rows: sorted.slice(search.offset, end) };
}

function inOrder(users: readonly UserRow[], newestFirst: boolean): readonly UserRow[] {
  const each = [...new Set(users)];
  return each.sort((a, b) => (newestFirst ? b.order - a.order : a.order - b.order));
}

const sortKeys: Readonly<Partial<Record<UserFieldName, (user: UserRow) => string>>> = {
  USER_FIELD_NAME_USER_NAME: (user) => user.userName,
  USER_FIELD_NAME_FIRST_NAME: (user) => user.firstName,
  USER_FIELD_NAME_LAST_NAME: (user) => user.lastName,
  USER_FIELD_NAME_NICK_NAME: (user) => user.more?.nickName ?? '',
  USER_FIELD_NAME_DISPLAY_NAME: displayNameOf,
  USER_FIELD_NAME_EMAIL: (user) => user.email,
  USER_FIELD_NAME_STATE: (user) => user.status,
  USER_FIELD_NAME_TYPE: (user) => user.kind,
};

function compareBy(field: UserFieldName | number, ascending: boolean): (a: UserRow, b: UserRow) => number {
  const key = (typeof field === 'string' ? sortKeys[field] : undefined) ?? (() => '');
  const sign = ascending ? 1 : -1;
  return (a, b) => {
    const [left, right] = [key(a).toLowerCase(), key(b).toLowerCase()];
    if (left === right) return sign * (a.order - b.order);
    return left < right ? -sign : sign;
  };
}
