/** The search for users in versions 1 and 2: same queries, different paging and responses. */
import { listResponse, textQueryMethod, textQuery, query } from './details.ts';
import {
  type Input,
  type ReadAll,
  text,
  bytes,
  choice,
  list,
  message,
  oneOf,
  type Message,
} from './message.ts';
import { userStates } from './import.ts';
import { userStatesV2, userV1, userV2 } from './user.ts';

const userFieldNames = [
  'USER_FIELD_NAME_UNSPECIFIED',
  'USER_FIELD_NAME_USER_NAME',
  'USER_FIELD_NAME_FIRST_NAME',
  'USER_FIELD_NAME_LAST_NAME',
  'USER_FIELD_NAME_NICK_NAME',
  'USER_FIELD_NAME_DISPLAY_NAME',
  'USER_FIELD_NAME_EMAIL',
  'USER_FIELD_NAME_STATE',
  'USER_FIELD_NAME_TYPE',
  'USER_FIELD_NAME_CREATION_DATE',
] as const;
export type UserFieldName = (typeof userFieldNames)[number];

const userTypes = ['TYPE_UNSPECIFIED', 'TYPE_HUMAN', 'TYPE_MACHINE'] as const;

const plainQueries = (states: readonly [string, ...string[]]) => ({
  userNameQuery: textQuery('UserNameQuery', 'userName'),
  firstNameQuery: textQuery('FirstNameQuery', 'firstName'),
  lastNameQuery: textQuery('LastNameQuery', 'lastName'),
  nickNameQuery: textQuery('NickNameQuery', 'nickName'),
  displayNameQuery: textQuery('DisplayNameQuery', 'displayName'),
  emailQuery: textQuery('EmailQuery', 'emailAddress'),
  phoneQuery: textQuery('PhoneQuery', 'number', 20),
  loginNameQuery: textQuery('LoginNameQuery', 'loginName'),
  stateQuery: message('StateQuery', { state: choice(states) }),
  typeQuery: message('TypeQuery', { type: choice(userTypes) }),
  inUserIdsQuery: message('InUserIDQuery', { userIds: list(text) }),
  inUserEmailsQuery: message('InUserEmailsQuery', { userEmails: list(text) }),
  organizationIdQuery: message('OrganizationIdQuery', { organizationId: text }),
  metadataKeyFilter: textQuery('MetadataKeyFilter', 'key'),
  metadataValueFilter: message('MetadataValueFilter', {
    value: bytes,
    method: textQueryMethod,
  }),
});

/** Exactly one member is set. */
export interface UserQuery extends ReadAll<ReturnType<typeof plainQueries>> {
  orQuery?: { queries: UserQuery[] } | undefined;
  andQuery?: { queries: UserQuery[] } | undefined;
  notQuery?: { query?: UserQuery | undefined } | undefined;
}

const userQueryMessage = (states: readonly [string, ...string[]], version: string) => {
  const query: Message<UserQuery, UserQuery> = oneOf(`zitadel.user.${version}.SearchQuery`, 'query', () => ({
    ...plainQueries(states),
    orQuery: message('OrQuery', { queries: list(query) }),
    andQuery: message('AndQuery', { queries: list(query) }),
    notQuery: message('NotQuery', { query }),
  })) as Message<UserQuery, UserQuery>;
  return query;
};

const sortingColumn = choice(userFieldNames);

export const listUsersRequest = message('ListUsersRequest', {
  query,
  sortingColumn,
  queries: list(userQueryMessage(userStates, 'v1')),
});
export type ListUsersInput = Input<typeof listUsersRequest>;

export const listUsersResponse = listResponse('ListUsersResponse', userV1);

export const listUsersV2Request = message('ListUsersRequest', {
  query,
  sortingColumn,
  queries: list(userQueryMessage(userStatesV2, 'v2')),
});
export type ListUsersV2Input = Input<typeof listUsersV2Request>;

export const listUsersV2Response = listResponse('ListUsersResponse', userV2);
