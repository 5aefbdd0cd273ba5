/** Finds users by user name, login name or the queries of a search. */
import type { UserFieldName, UserQuery } from '../../wire/user.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';
import { lowerCase } from '../../lib/strings.ts';
import { unknownError, refuseIf } from '../errors.ts';
import {
  byText,
  type Filters,
  type Found,
  matcher,
  type Page,
  pageFrom,
  sortedBy,
  testsOf,
} from '../paging.ts';
import type { OrgRow, UserRow } from '../store/rows.ts';
import { type Store, usersOf } from '../store/store.ts';
import { displayNameOf, loginMustBeDomain, loginNamesOf, stateNames } from './show.ts';

/**
 * Returns the user with that name. Searches the organization if its login names carry its domain, or else all
 * organizations whose login names do not.
 */
export function findNameOwner(store: Store, org: OrgRow, userName: string) {
  const owners = store.users.by('name', lowerCase(userName));
  if (owners.length === 0) return undefined;
  if (loginMustBeDomain(org)) return owners.find((owner) => owner.orgId === org.id);
  return owners.find((owner) => !loginMustBeDomain(store.orgs.get(owner.orgId)));
}

/** Throws if the name ends in a domain that only another organization has verified. */
export function checkReservedDomain(
  store: Store,
  org: OrgRow,
  userName: string,
  errorId: ServiceErrorId = 'COMMAND-SFd21',
) {
  const at = userName.lastIndexOf('@');
  if (at === -1 || loginMustBeDomain(org)) return;
  const owners = store.orgs.by('verified', userName.slice(at + 1).toLowerCase());
  refuseIf(owners.length > 0 && owners.every((owner) => owner.id !== org.id), errorId);
}

/** Returns the user with that login name: a plain user name, or one with a domain if the organization requires it. */
export function findByLoginName(store: Store, loginName: string) {
  const bare = store.users
    .by('name', lowerCase(loginName))
    .find((user) => !loginMustBeDomain(store.orgs.get(user.orgId)));
  if (bare !== undefined) return bare;
  const at = loginName.lastIndexOf('@');
  if (at === -1) return undefined;
  const orgs = new Set(store.orgs.by('verified', loginName.slice(at + 1).toLowerCase()).map((org) => org.id));
  return store.users
    .by('name', lowerCase(loginName.slice(0, at)))
    .find((user) => orgs.has(user.orgId) && loginMustBeDomain(store.orgs.get(user.orgId)));
}

type Test = (user: UserRow) => boolean;

/** Returns, for each kind of query, the test that it puts on a user. */
const filtersOf = (store: Store): Filters<UserRow, UserQuery> => ({
  userNameQuery: byText((user) => user.userName),
  firstNameQuery: byText((user) => user.firstName),
  lastNameQuery: byText((user) => user.lastName),
  nickNameQuery: byText((user) => user.nickName ?? ''),
  displayNameQuery: byText(displayNameOf),
  emailQuery: byText((user) => user.email),
  phoneQuery: byText((user) => user.phone ?? ''),
  loginNameQuery: byText((user) => loginNamesOf(store, user)),
  metadataKeyFilter: byText((user) => Object.keys(user.metadata ?? {})),
  metadataValueFilter({ method, value }) {
    const matches = matcher(method, fromBase64(value));
    return (user) => Object.values(user.metadata ?? {}).some((each) => matches(fromBase64(each.value)));
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
    if (userEmails.length === 0) throw unknownError('values array must not be empty');
    const emails = new Set(userEmails);
    return (user) => emails.has(user.email);
  },
  organizationIdQuery: ({ organizationId }) => inOrg(organizationId),
  orQuery({ queries }) {
    const tests = testsOf(queries, filtersOf(store));
    return (user) => tests.some((test) => test(user));
  },
  andQuery: ({ queries }) => allOf(testsOf(queries, filtersOf(store))),
  notQuery({ query }) {
    const test = allOf(testsOf(query === undefined ? [] : [query], filtersOf(store)));
    return (user) => !test(user);
  },
});

const inOrg =
  (orgId: string): Test =>
  (user) =>
    user.orgId === orgId;

const allOf =
  (tests: readonly Test[]): Test =>
  (user) =>
    tests.every((test) => test(user));

const fromBase64 = (value: string) => Buffer.from(value, 'base64').toString('utf8');

const maxLevels = 20;
/** Number of values that one PostgreSQL statement takes. Each part of a query counts as one. */
const maxValues = 65_535;

/** Returns how many values queries have. Throws if they are nested too deeply. */
function countValues(queries: readonly UserQuery[], level = 0) {
  refuseIf(level > maxLevels && queries.length > 0, 'USER-zsQ97');
  let values = 0;
  for (const { orQuery, andQuery, notQuery, inUserIdsQuery, inUserEmailsQuery } of queries) {
    values += inUserIdsQuery?.userIds.length ?? inUserEmailsQuery?.userEmails.length ?? 1;
    const inner = notQuery?.query === undefined ? (orQuery ?? andQuery)?.queries : [notQuery.query];
    values += countValues(inner ?? [], level + 1);
  }
  return values;
}

/** Returns a small set with every user who can match, or undefined if all users must be checked. */
function candidates(store: Store, query: UserQuery): readonly UserRow[] | undefined {
  const { inUserIdsQuery, userNameQuery, loginNameQuery, orQuery, andQuery } = query;
  if (inUserIdsQuery) return inUserIdsQuery.userIds.flatMap((id) => store.users.get(id) ?? []);
  if (isExact(userNameQuery)) return store.users.by('name', lowerCase(userNameQuery.userName));
  if (isExact(loginNameQuery)) return [findByLoginName(store, loginNameQuery.loginName) ?? []].flat();
  if (orQuery) {
    const parts = orQuery.queries.map((inner) => candidates(store, inner));
    return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
  }
  return andQuery && firstCandidates(store, andQuery.queries);
}

function firstCandidates(store: Store, queries: readonly UserQuery[]) {
  for (const query of queries) {
    const found = candidates(store, query);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isExact = <Query extends { method: string | number }>(query: Query | undefined): query is Query =>
  query !== undefined && String(query.method).includes('_EQUALS');

interface UserSearch extends Page {
  readonly queries: readonly UserQuery[];
  /** Only users of this organization. All users if not set. */
  readonly orgId?: string | undefined;
  /** Reports whether the caller may see a user. All users if not set. */
  readonly visible?: Test | undefined;
  readonly sortBy: UserFieldName | number;
}

/** Returns a page of users, sorted by creation unless `sortBy` says otherwise. */
export function searchUsers(store: Store, search: UserSearch): Found<UserRow> {
  const { queries, orgId, visible, sortBy } = search;
  refuseIf(countValues(queries) > maxValues, 'QUERY-AG4gs');
  const few = firstCandidates(store, queries);
  // Visibility is tested first, so that a long query is cheap if the caller has no role.
  const tests = [
    ...(visible === undefined ? [] : [visible]),
    ...(few === undefined || orgId === undefined ? [] : [inOrg(orgId)]),
    ...testsOf(queries, filtersOf(store)),
  ];
  const pool =
    few === undefined ? usersOf(store, orgId) : [...new Set(few)].toSorted((a, b) => a.order - b.order);
  const found = tests.length === 0 ? pool : pool.filter(allOf(tests));
  const keyOf = sortKeys[sortBy as UserFieldName];
  return pageFrom(keyOf === undefined ? found : sortedBy(found, (user) => keyOf(user).toLowerCase()), search);
}

const sortKeys: Readonly<Partial<Record<UserFieldName, (user: UserRow) => string>>> = {
  USER_FIELD_NAME_USER_NAME: (user) => user.userName,
  USER_FIELD_NAME_FIRST_NAME: (user) => user.firstName,
  USER_FIELD_NAME_LAST_NAME: (user) => user.lastName,
  USER_FIELD_NAME_NICK_NAME: (user) => user.nickName ?? '',
  USER_FIELD_NAME_DISPLAY_NAME: displayNameOf,
  USER_FIELD_NAME_EMAIL: (user) => user.email,
  USER_FIELD_NAME_STATE: (user) => user.status,
  USER_FIELD_NAME_TYPE: (user) => user.kind,
};
