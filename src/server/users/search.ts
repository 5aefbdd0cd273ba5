/** Searches users: by an index where one helps, else in one pass. */
import type { TextQueryMethod } from '../../wire/details.ts';
import type { UserFieldName, UserQuery } from '../../wire/user-search.ts';
import { displayNameOf, loginNamesOf, stateNames } from './show.ts';
import { type Found, type Page, pageFrom, sortedBy } from '../paging.ts';
import { refusal, unknown } from '../errors.ts';
import type { UserRow } from '../store/rows.ts';
import { nameKey, usersOf, type Store } from '../store/store.ts';
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

type Asks<Query> = (asked: NonNullable<Query>, store: Store) => Test;

/** A query that has a text and a method: one of those texts of the user has to fit. */
const byText =
  (textsOf: (user: UserRow, store: Store) => readonly string[]) =>
  ({ method, ...named }: { method: Method }, store: Store): Test => {
    const [value] = Object.values<unknown>(named);
    const matches = matcher(method, String(value));
    return (user) => textsOf(user, store).some(matches);
  };

/** What each query asks of one user. */
const asks: { readonly [Name in keyof UserQuery]-?: Asks<UserQuery[Name]> } = {
  userNameQuery: byText((user) => [user.userName]),
  firstNameQuery: byText((user) => [user.firstName]),
  lastNameQuery: byText((user) => [user.lastName]),
  nickNameQuery: byText((user) => [user.more?.nickName ?? '']),
  displayNameQuery: byText((user) => [displayNameOf(user)]),
  emailQuery: byText((user) => [user.email]),
  phoneQuery: byText((user) => [user.more?.phone ?? '']),
  loginNameQuery: byText((user, store) => loginNamesOf(store, user)),
  metadataKeyFilter: byText((user) => Object.keys(user.more?.metadata ?? {})),
  metadataValueFilter({ method, value }) {
    const matches = matcher(method, fromBase64(value));
    return (user) => Object.values(user.more?.metadata ?? {}).some((each) => matches(fromBase64(each.value)));
  },
  stateQuery:
    ({ state }) =>
    (user) =>
      stateNames[user.status] === state,
  typeQuery:
    ({ type }) =>
    (user) =>
      type === (user.kind === 'human' ? 'TYPE_HUMAN' : 'TYPE_MACHINE'),
  inUserIdsQuery({ userIds }) {
    const ids = new Set(userIds);
    return (user) => ids.has(user.id);
  },
  inUserEmailsQuery({ userEmails }) {
    if (userEmails.length === 0) throw unknown('values array must not be empty');
    const emails = new Set(userEmails);
    return (user) => emails.has(user.email);
  },
  organizationIdQuery: ({ organizationId }) => inOrg(organizationId),
  orQuery({ queries }, store) {
    const tests = queries.map((inner) => testOf(store, inner));
    return (user) => tests.some((test) => test(user));
  },
  andQuery: ({ queries }, store) => allOf(queries.map((inner) => testOf(store, inner))),
  notQuery({ query }, store) {
    const test = query === undefined ? () => true : testOf(store, query);
    return (user) => !test(user);
  },
};

/** A query without a member matches no user. */
function testOf(store: Store, query: UserQuery): Test {
  const name = (Object.keys(asks) as (keyof UserQuery)[]).find((each) => query[each] !== undefined);
  return name === undefined ? () => false : (asks[name] as Asks<unknown>)(query[name]!, store);
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
    return store.users.by('name', nameKey(query.userNameQuery.userName));
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

export interface UserSearch extends Page {
  readonly queries: readonly UserQuery[];
  /** Only this org; all when absent. */
  readonly orgId?: string | undefined;
  /** Who may be seen at all. */
  readonly visible?: Test | undefined;
  readonly sortBy: UserFieldName | number;
}

/** Sorted by creation where nothing else is asked for. */
export function searchUsers(store: Store, search: UserSearch): Found<UserRow> {
  const { queries, orgId, visible, sortBy } = search;
  checkSize(queries);
  const few = firstCandidates(store, queries);
  // What the caller may not see is not compared: a long query of one without a role costs next to nothing.
  const tests = [
    ...(visible === undefined ? [] : [visible]),
    ...(few === undefined || orgId === undefined ? [] : [inOrg(orgId)]),
    ...queries.map((query) => testOf(store, query)),
  ];
  const pool = few === undefined ? usersOf(store, orgId) : inOrder(few);
  const found = tests.length === 0 ? pool : pool.filter(allOf(tests));
  const keyOf = sortKeys[sortBy as UserFieldName];
  return pageFrom(keyOf === undefined ? found : sortedBy(found, (user) => keyOf(user).toLowerCase()), search);
}

const inOrder = (users: readonly UserRow[]): readonly UserRow[] =>
  [...new Set(users)].toSorted((a, b) => a.order - b.order);

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
