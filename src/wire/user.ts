/**
 * A user as the services of versions 1 and 2 show it and search for it, with its metadata, grants, links, memberships and
 * permissions.
 */
import { accessTokenTypes, genders } from './create-user.ts';
import {
  details,
  idQuery,
  listResponse,
  paginationResponse,
  query,
  textMethod,
  textQuery,
  textQueryMethod,
} from './details.ts';
import { userStates } from './import.ts';
import {
  bytes,
  choice,
  definedChoice,
  type Field,
  flag,
  type Input,
  list,
  message,
  type Message,
  oneOf,
  optionalChoice,
  optionalText,
  type Output,
  shortText,
  text,
  textUpTo,
  timestamp,
} from './message.ts';

/** A service user looks the same in both versions. */
const machine = {
  name: text,
  description: text,
  hasSecret: flag,
  accessTokenType: choice(accessTokenTypes),
};

export const userV1 = message('User', {
  id: text,
  details,
  state: choice(userStates),
  userName: text,
  loginNames: list(text),
  preferredLoginName: text,
  human: {
    profile: {
      firstName: text,
      lastName: text,
      nickName: text,
      displayName: text,
      preferredLanguage: text,
      gender: choice(genders),
    },
    email: { email: text, isEmailVerified: flag },
    phone: { phone: text, isPhoneVerified: flag },
    passwordChanged: timestamp,
  },
  machine,
});
export type UserV1 = Output<typeof userV1>;

export const getUserResponse = message('GetUserByIDResponse', { user: userV1 });

/** States in version 2, which numbers them differently: it has no suspended state, and initial is 5. */
export const userStatesV2 = [
  'USER_STATE_UNSPECIFIED',
  'USER_STATE_ACTIVE',
  'USER_STATE_INACTIVE',
  'USER_STATE_DELETED',
  'USER_STATE_LOCKED',
  'USER_STATE_INITIAL',
] as const;

export const userV2 = message('User', {
  userId: text,
  details,
  state: choice(userStatesV2),
  username: text,
  loginNames: list(text),
  preferredLoginName: text,
  human: {
    profile: {
      givenName: text,
      familyName: text,
      nickName: optionalText,
      displayName: text,
      preferredLanguage: text,
      gender: optionalChoice(genders),
    },
    email: { email: text, isVerified: flag },
    phone: { phone: text, isVerified: flag },
    passwordChangeRequired: flag,
    passwordChanged: timestamp,
  },
  machine,
});
export type UserV2 = Output<typeof userV2>;

export const getUserV2Response = message('GetUserByIDResponse', {
  details,
  user: userV2,
});

export const getMyUserResponse = message('GetMyUserResponse', { user: userV1 });

/** A membership. Exactly one of `iam`, `orgId`, `projectId`, `projectGrantId` is the scope of the roles. */
export const membership = message('Membership', {
  userId: text,
  details,
  roles: list(text),
  displayName: text,
  iam: flag,
  orgId: text,
  projectId: text,
  projectGrantId: text,
});

export const listMembershipsResponse = listResponse('ListMyMembershipsResponse', membership);

/** Permissions such as `iam.write`, `iam.read` and `user.write`. */
export const listPermissionsResponse = message('ListMyZitadelPermissionsResponse', { result: list(text) });

export const metadata = message('Metadata', {
  details,
  key: text,
  value: bytes,
});

export const listMetadataResponse = listResponse('ListUserMetadataResponse', metadata);
export const listMetadataV2Response = message('ListUserMetadataResponse', {
  pagination: paginationResponse,
  metadata: list(
    message('Metadata', {
      creationDate: timestamp,
      changeDate: timestamp,
      key: text,
      value: bytes,
    }),
  ),
});

const userTypes = ['TYPE_UNSPECIFIED', 'TYPE_HUMAN', 'TYPE_MACHINE'] as const;

export const listUserGrantsRequest = message('ListUserGrantRequest', {
  query,
  queries: list(
    oneOf('zitadel.user.v1.UserGrantQuery', 'query', {
      projectIdQuery: idQuery('UserGrantProjectIDQuery', 'projectId'),
      userIdQuery: idQuery('UserGrantUserIDQuery', 'userId'),
      roleKeyQuery: idQuery('UserGrantRoleKeyQuery', 'roleKey'),
      projectGrantIdQuery: idQuery('UserGrantProjectGrantIDQuery', 'projectGrantId'),
      userNameQuery: textQuery('UserGrantUserNameQuery', 'userName'),
      firstNameQuery: textQuery('UserGrantFirstNameQuery', 'firstName'),
      lastNameQuery: textQuery('UserGrantLastNameQuery', 'lastName'),
      emailQuery: textQuery('UserGrantEmailQuery', 'email'),
      orgNameQuery: textQuery('UserGrantOrgNameQuery', 'orgName'),
      orgDomainQuery: textQuery('UserGrantOrgDomainQuery', 'orgDomain'),
      projectNameQuery: textQuery('UserGrantProjectNameQuery', 'projectName'),
      displayNameQuery: textQuery('UserGrantDisplayNameQuery', 'displayName'),
      inUserIdsQuery: message('UserGrantInUserIDsQuery', { userIds: list(text) }),
    }),
  ),
});
export const userGrant = message('UserGrant', {
  id: text,
  details,
  roleKeys: list(text),
  state: choice(['USER_GRANT_STATE_UNSPECIFIED', 'USER_GRANT_STATE_ACTIVE', 'USER_GRANT_STATE_INACTIVE']),
  userId: text,
  userName: text,
  firstName: text,
  lastName: text,
  email: text,
  displayName: text,
  orgId: text,
  orgName: text,
  orgDomain: text,
  projectId: text,
  projectName: text,
  projectGrantId: text,
  preferredLoginName: text,
  userType: choice(userTypes),
  grantedOrgId: text,
  grantedOrgName: text,
  grantedOrgDomain: text,
});
export const listUserGrantsResponse = listResponse('ListUserGrantResponse', userGrant);
export type ListUserGrantsResponse = Output<typeof listUserGrantsResponse>;

export const idpLinkV2 = message('IDPLink', {
  idpId: shortText,
  userId: shortText,
  userName: textUpTo(200),
});
export const listIdpLinksResponse = listResponse(
  'ListIDPLinksResponse',
  message('Item', {
    idpId: text,
    userId: text,
    userName: text,
  }),
);

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

/** Only version 2 refuses to search for an empty name. */
const plainQueries = (states: readonly [string, ...string[]], name?: Field) => ({
  userNameQuery: textQuery('UserNameQuery', 'userName', name),
  firstNameQuery: textQuery('FirstNameQuery', 'firstName', name),
  lastNameQuery: textQuery('LastNameQuery', 'lastName', name),
  nickNameQuery: textQuery('NickNameQuery', 'nickName', name),
  displayNameQuery: textQuery('DisplayNameQuery', 'displayName', name),
  emailQuery: textQuery('EmailQuery', 'emailAddress'),
  loginNameQuery: textQuery('LoginNameQuery', 'loginName', name),
  stateQuery: message('StateQuery', { state: definedChoice(states) }),
  typeQuery: message('TypeQuery', { type: definedChoice(userTypes) }),
  inUserIdsQuery: message('InUserIDQuery', { userIds: list(text) }),
  inUserEmailsQuery: message('InUserEmailsQuery', { userEmails: list(text) }),
});

export const metadataKeyFilter = message('MetadataKeyFilter', {
  key: textUpTo(200),
  method: textMethod('FILTER'),
});

/** Queries that version 1 does not know. */
const queriesOfV2 = {
  organizationIdQuery: message('OrganizationIdQuery', { organizationId: shortText }),
  phoneQuery: textQuery('PhoneQuery', 'number', textUpTo(20)),
  metadataKeyFilter,
  metadataValueFilter: message('MetadataValueFilter', {
    value: bytes,
    method: textQueryMethod,
  }),
};

/** A query, of which exactly one member is set. */
export interface UserQuery extends Output<ReturnType<typeof plainQueries>>, Output<typeof queriesOfV2> {
  orQuery?: { queries: UserQuery[] } | undefined;
  andQuery?: { queries: UserQuery[] } | undefined;
  notQuery?: { query?: UserQuery | undefined } | undefined;
}

const userQueryMessage = (version: string, queries: Readonly<Record<string, Message>>) => {
  const query: Message<UserQuery, UserQuery> = oneOf(`zitadel.user.${version}.SearchQuery`, 'query', () => ({
    ...queries,
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
  queries: list(userQueryMessage('v1', plainQueries(userStates))),
});
export type ListUsersInput = Input<typeof listUsersRequest>;

export const listUsersResponse = listResponse('ListUsersResponse', userV1);

export const listUsersV2Request = message('ListUsersRequest', {
  query,
  sortingColumn,
  queries: list(userQueryMessage('v2', { ...plainQueries(userStatesV2, shortText), ...queriesOfV2 })),
});
export type ListUsersV2Input = Input<typeof listUsersV2Request>;

export const listUsersV2Response = listResponse('ListUsersResponse', userV2);
