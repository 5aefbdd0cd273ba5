/** Role grants of users, and their links to identity providers. */
import { text } from '../../wire/message.ts';
import { details, listResponse, query } from '../../wire/details.ts';
import type { Output, Input } from '../../wire/message.ts';
import { userGrantItem, userLinkItem } from '../../wire/org-resources.ts';
import * as wire from '../../wire/user.ts';
import { existing } from '../errors.ts';
import { management, users } from '../method.ts';
import {
  byColumn,
  defaultPage,
  filtered,
  type Filters,
  listV2,
  pageOf,
  takePage,
  listPage,
} from '../paging.ts';
import { relatedLists } from '../store/list-view.ts';
import { addDetails, changeDetails, detailsOf, displayNameOf, loginNamesOf } from '../users/show.ts';
import { primaryDomain } from '../orgs.ts';
import type { UserGrantRow, UserRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { showLink } from '../export/org.ts';
import { addLink } from '../users/change.ts';
import { addUserGrant } from '../projects.ts';
import { findUser, requireOver } from './users.ts';

function showGrant(store: Store, grant: UserGrantRow): Input<typeof wire.userGrant> {
  const user = store.users.get(grant.userId);
  const org = store.orgs.get(grant.orgId);
  const granted = store.projectGrants.get(grant.projectGrantId)?.grantedOrgId ?? grant.orgId;
  const grantedOrg = store.orgs.get(granted);
  return {
    id: grant.id,
    details: detailsOf(grant),
    roleKeys: grant.roleKeys,
    state: 'USER_GRANT_STATE_ACTIVE',
    userId: grant.userId,
    ...(user === undefined ? {} : showGrantee(store, user)),
    orgId: grant.orgId,
    orgName: org?.name ?? '',
    orgDomain: primaryDomain(org),
    projectId: grant.projectId,
    projectName: store.projects.get(grant.projectId)?.project.name ?? '',
    projectGrantId: grant.projectGrantId,
    grantedOrgId: granted,
    grantedOrgName: grantedOrg?.name ?? '',
    grantedOrgDomain: primaryDomain(grantedOrg),
  };
}

const showGrantee = (store: Store, user: UserRow) => ({
  userName: user.userName,
  firstName: user.firstName,
  lastName: user.lastName,
  email: user.email,
  displayName: displayNameOf(user),
  preferredLoginName: loginNamesOf(store, user)[0] ?? user.userName,
  userType: user.kind === 'human' ? ('TYPE_HUMAN' as const) : ('TYPE_MACHINE' as const),
});

type GrantQuery = Output<typeof wire.listUserGrantsRequest>['queries'][number];
const filters: Filters<UserGrantRow, GrantQuery> = {
  projectIdQuery: byColumn('projectId'),
  userIdQuery: byColumn('userId'),
  roleKeyQuery:
    ({ roleKey }) =>
    ({ roleKeys }) =>
      roleKeys.includes(roleKey),
  projectGrantIdQuery: byColumn('projectGrantId'),
  inUserIdsQuery:
    ({ userIds }) =>
    ({ userId }) =>
      userIds.includes(userId),
};

/** Looks up by user where the queries name one: an organization may have a grant for each of its users. */
function poolOf(store: Store, orgId: string, queries: readonly GrantQuery[]): readonly UserGrantRow[] {
  const named = queries.find((query) => query.userIdQuery)?.userIdQuery?.userId;
  if (named !== undefined) return store.userGrants.by('user', named).filter((grant) => grant.orgId === orgId);
  return store.userGrants.by('org', orgId);
}

export const grantAndLinkMethods = [
  management('AddUserGrant', 'POST /management/v1/users/:userId/grants', 'user.grant.write', {
    request: userGrantItem,
    response: {
      userGrantId: text,
      details,
    },
    handle(call, request) {
      const grant = addUserGrant(call, call.orgId, request);
      return { userGrantId: grant.id, details: addDetails(grant) };
    },
  }),
  management('ListUserGrants', 'POST /management/v1/users/grants/_search', 'user.grant.read', {
    request: wire.listUserGrantsRequest,
    response: wire.listUserGrantsResponse,
    handle(call, { query, queries }) {
      const store = call.lists.read();
      // The service never lists one of a project grant that does not exist.
      const grants = filtered(poolOf(store, call.orgId, queries), queries, filters).filter(
        ({ projectGrantId }) => projectGrantId === '' || store.projectGrants.has(projectGrantId),
      );
      return listPage(call, 'userGrants', grants, query, (grant) => showGrant(store, grant));
    },
  }),
  management('RemoveUserGrant', 'DELETE /management/v1/users/:userId/grants/:grantId', 'user.grant.delete', {
    handle(call, { grantId }) {
      const grant = existing(call.store.userGrants.get(grantId), 'COMMAND-1My0t', call.orgId);
      call.store.userGrants.delete(grantId);
      const changed = call.store.now();
      return changeDetails({ ...grant, sequence: grant.sequence + 1, changed });
    },
  }),
  management('ListHumanLinkedIDPs', 'POST /management/v1/users/:userId/idps/_search', 'user.read', {
    request: { query },
    response: listResponse('ListHumanLinkedIDPsResponse', userLinkItem),
    handle(call, { userId, query }) {
      const store = call.lists.read();
      const user = store.users.get(userId);
      const links = user?.orgId === call.orgId ? (user.more?.links ?? []) : [];
      return listPage(call, relatedLists, links, query, (link) => showLink(store, userId, link));
    },
  }),
  users('AddIDPLink', 'POST /v2/users/:userId/links', 'authenticated', {
    request: {
      /** Without it the answer is that the identity provider does not exist. */
      idpLink: wire.idpLinkV2,
    },
    handle(call, { userId, idpLink }) {
      const user = existing(call.store.users.get(userId), 'COMMAND-vzktar7b7f');
      requireOver(call, user, 'user.write');
      const { idpId = '', userId: externalUserId = '', userName: displayName = '' } = idpLink ?? {};
      const link = { idpId, externalUserId, displayName };
      return changeDetails(addLink(call, user, link));
    },
  }),
  users('ListIDPLinks', 'POST /v2/users/:userId/links/_search', 'authenticated', {
    request: { query },
    response: wire.listIdpLinksResponse,
    handle(call, { userId, query }) {
      const user = findUser(call, userId, 'QUERY-Dfbg2');
      requireOver(call, user, 'user.read');
      const links = call.lists.read().users.get(user.id)?.more?.links ?? [];
      const found = takePage(links, pageOf(query, defaultPage));
      return listV2(call, relatedLists, found, (link) => ({
        idpId: link.idpId,
        userId: link.externalUserId,
        userName: link.displayName,
      }));
    },
  }),
];
