/** Roles of users in projects, and their links to other providers. */
import { listResponse, details, idQuery, query } from './details.ts';
import { type Output, text, textUpTo, shortText, choice, list, message, oneOf } from './message.ts';

const userGrantQueries = {
  projectIdQuery: idQuery('UserGrantProjectIDQuery', 'projectId'),
  userIdQuery: idQuery('UserGrantUserIDQuery', 'userId'),
  roleKeyQuery: idQuery('UserGrantRoleKeyQuery', 'roleKey'),
  projectGrantIdQuery: idQuery('UserGrantProjectGrantIDQuery', 'projectGrantId'),
  inUserIdsQuery: message('UserGrantInUserIDsQuery', { userIds: list(text) }),
};
export const listUserGrantsRequest = message('ListUserGrantRequest', {
  query,
  queries: list(oneOf('zitadel.user.v1.UserGrantQuery', 'query', userGrantQueries)),
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
  userType: choice(['TYPE_UNSPECIFIED', 'TYPE_HUMAN', 'TYPE_MACHINE']),
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
export const listIdpLinksRequest = message('ListIDPLinksRequest', {
  userId: shortText,
  query,
});
export const listIdpLinksResponse = listResponse(
  'ListIDPLinksResponse',
  message('Item', {
    idpId: text,
    userId: text,
    userName: text,
  }),
);
