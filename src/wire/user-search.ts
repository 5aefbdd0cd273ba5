/** The search for users in versions 1 and 2: same queries, different paging and responses. */
import { z } from 'zod';
import { listDetails, textQueryMethod, type TextQueryMethod, textQuery, query } from './details.ts';
import { bytes, choice, list, message, text, oneOf } from './message.ts';
import { userStates } from './org-data.ts';
import { userStatesV2, userV1, userV2 } from './user.ts';

export const userFieldNames = [
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

type TextQuery<Field extends string> =
  | (Record<Field, string> & { method: TextQueryMethod | number })
  | undefined;

/** Exactly one member is set. */
export interface UserQuery {
  userNameQuery?: TextQuery<'userName'>;
  firstNameQuery?: TextQuery<'firstName'>;
  lastNameQuery?: TextQuery<'lastName'>;
  nickNameQuery?: TextQuery<'nickName'>;
  displayNameQuery?: TextQuery<'displayName'>;
  emailQuery?: TextQuery<'emailAddress'>;
  phoneQuery?: TextQuery<'number'>;
  loginNameQuery?: TextQuery<'loginName'>;
  stateQuery?: { state: string | number } | undefined;
  typeQuery?: { type: (typeof userTypes)[number] | number } | undefined;
  inUserIdsQuery?: { userIds: string[] } | undefined;
  inUserEmailsQuery?: { userEmails: string[] } | undefined;
  organizationIdQuery?: { organizationId: string } | undefined;
  metadataKeyFilter?: TextQuery<'key'>;
  metadataValueFilter?: TextQuery<'value'>;
  orQuery?: { queries: UserQuery[] } | undefined;
  andQuery?: { queries: UserQuery[] } | undefined;
  notQuery?: { query?: UserQuery | undefined } | undefined;
}

function userQueryMessage(
  states: readonly [string, ...string[]],
  version: string,
): z.ZodType<UserQuery, UserQuery> {
  const self: z.ZodType<UserQuery, UserQuery> = z.lazy(() => query);
  const shape = {
    userNameQuery: textQuery('UserNameQuery', 'userName'),
    firstNameQuery: textQuery('FirstNameQuery', 'firstName'),
    lastNameQuery: textQuery('LastNameQuery', 'lastName'),
    nickNameQuery: textQuery('NickNameQuery', 'nickName'),
    displayNameQuery: textQuery('DisplayNameQuery', 'displayName'),
    emailQuery: textQuery('EmailQuery', 'emailAddress'),
    phoneQuery: textQuery('PhoneQuery', 'number', 20),
    loginNameQuery: textQuery('LoginNameQuery', 'loginName'),
    stateQuery: message('StateQuery', { state: choice(states) }).optional(),
    typeQuery: message('TypeQuery', { type: choice(userTypes) }).optional(),
    inUserIdsQuery: message('InUserIDQuery', { userIds: list(text()) }).optional(),
    inUserEmailsQuery: message('InUserEmailsQuery', { userEmails: list(text()) }).optional(),
    organizationIdQuery: message('OrganizationIdQuery', { organizationId: text() }).optional(),
    metadataKeyFilter: textQuery('MetadataKeyFilter', 'key'),
    metadataValueFilter: message('MetadataValueFilter', {
      value: bytes(),
      method: textQueryMethod(),
    }).optional(),
    orQuery: message('OrQuery', { queries: list(self) }).optional(),
    andQuery: message('AndQuery', { queries: list(self) }).optional(),
    notQuery: message('NotQuery', { query: self.optional() }).optional(),
  };
  const query = oneOf(`zitadel.user.${version}.SearchQuery`, 'query', shape) as unknown as z.ZodType<
    UserQuery,
    UserQuery
  >;
  return query;
}

const sortingColumn = () => choice(userFieldNames);

export const listUsersRequest = message('ListUsersRequest', {
  query,
  sortingColumn: sortingColumn(),
  queries: list(userQueryMessage(userStates, 'v1')),
});
export type ListUsersInput = z.input<typeof listUsersRequest>;

export const listUsersResponse = message('ListUsersResponse', {
  details: listDetails.optional(),
  sortingColumn: sortingColumn(),
  result: list(userV1),
});

export const listUsersV2Request = message('ListUsersRequest', {
  query,
  sortingColumn: sortingColumn(),
  queries: list(userQueryMessage(userStatesV2, 'v2')),
});
export type ListUsersV2Input = z.input<typeof listUsersV2Request>;

export const listUsersV2Response = message('ListUsersResponse', {
  details: listDetails.optional(),
  sortingColumn: sortingColumn(),
  result: list(userV2),
});
