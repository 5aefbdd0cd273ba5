/** Role grants of users, and their links to identity providers. */
import { detailsResponse } from '../../wire/details.ts';
import { grpcCodes } from '../../wire/errors.ts';
import { message, text } from '../../wire/message.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import * as wire from '../../wire/user-grant.ts';
import type { Call } from '../context.ts';
import { refusal } from '../errors.ts';
import { method } from '../method.ts';
import { listDetailsOf, pageOf, takePage } from '../paging.ts';
import { changeDetails } from '../users/show.ts';
import type { UserGrantRow } from '../store/rows.ts';
import { addLink } from '../users/change.ts';
import { addUserGrant } from '../users/grants.ts';
import { defaultPage, findUser, requireOver } from './users-v2.ts';

const management = '/zitadel.management.v1.ManagementService';
const users = '/zitadel.user.v2.UserService';

const grantDetails = (grant: UserGrantRow) => ({
  sequence: String(grant.sequence),
  creationDate: formatTimestamp(grant.created),
  changeDate: formatTimestamp(grant.created),
  resourceOwner: grant.orgId,
});

function showGrant({ store }: Call, grant: UserGrantRow) {
  return {
    id: grant.id,
    details: grantDetails(grant),
    roleKeys: [...grant.roleKeys],
    state: 'USER_GRANT_STATE_ACTIVE' as const,
    userId: grant.userId,
    userName: store.users.get(grant.userId)?.userName ?? '',
    orgId: grant.orgId,
    orgName: store.orgs.get(grant.orgId)?.name ?? '',
    projectId: grant.projectId,
    projectName: store.projects.get(grant.projectId)?.project.name ?? '',
    projectGrantId: grant.projectGrantId,
  };
}

type GrantQuery = Parameters<typeof matchesGrant>[1];
function matchesGrant(
  grant: UserGrantRow,
  query: {
    projectIdQuery?: { projectId: string } | undefined;
    userIdQuery?: { userId: string } | undefined;
    roleKeyQuery?: { roleKey: string } | undefined;
    projectGrantIdQuery?: { projectGrantId: string } | undefined;
    inUserIdsQuery?: { userIds: readonly string[] } | undefined;
  },
): boolean {
  if (query.projectIdQuery) return grant.projectId === query.projectIdQuery.projectId;
  if (query.userIdQuery) return grant.userId === query.userIdQuery.userId;
  if (query.roleKeyQuery) return grant.roleKeys.includes(query.roleKeyQuery.roleKey);
  if (query.projectGrantIdQuery) return grant.projectGrantId === query.projectGrantIdQuery.projectGrantId;
  return query.inUserIdsQuery?.userIds.includes(grant.userId) === true;
}

/** By user where the queries name one: an organization may have a grant for each of its users. */
function poolOf({ store, orgId }: Call, queries: readonly GrantQuery[]): readonly UserGrantRow[] {
  const named = queries.find((query) => query.userIdQuery)?.userIdQuery?.userId;
  if (named !== undefined) return store.userGrants.by('user', named).filter((grant) => grant.orgId === orgId);
  return store.userGrants.by('org', orgId);
}

export const grantAndLinkMethods = [
  method({
    rpc: `${management}/AddUserGrant`,
    routes: ['POST /management/v1/users/{user_id}/grants'],
    permission: 'user.grant.write',
    request: wire.addUserGrantRequest,
    response: wire.addUserGrantResponse,
    handle(call, request) {
      const grant = addUserGrant(call, call.orgId, request);
      return { userGrantId: grant.id, details: grantDetails(grant) };
    },
  }),
  method({
    rpc: `${management}/ListUserGrants`,
    routes: ['POST /management/v1/users/grants/_search'],
    permission: 'user.grant.read',
    request: wire.listUserGrantsRequest,
    response: wire.listUserGrantsResponse,
    handle(call, { query, queries }) {
      const found = poolOf(call, queries).filter((grant) =>
        queries.every((each) => matchesGrant(grant, each)),
      );
      return {
        details: listDetailsOf(call, found.length),
        result: takePage(found, pageOf(query)).map((grant) => showGrant(call, grant)),
      };
    },
  }),
  method({
    rpc: `${management}/RemoveUserGrant`,
    routes: ['DELETE /management/v1/users/{user_id}/grants/{grant_id}'],
    permission: 'user.grant.delete',
    request: message('RemoveUserGrantRequest', {
      userId: text({ min: 1, max: 200 }),
      grantId: text({ min: 1, max: 200 }),
    }),
    response: detailsResponse,
    handle(call, { grantId }) {
      const grant = call.store.userGrants.get(grantId);
      if (grant === undefined || grant.orgId !== call.orgId) {
        throw refusal(grpcCodes.notFound, 'COMMAND-1My0t', 'Errors.UserGrant.NotFound');
      }
      call.store.userGrants.delete(grantId);
      return { details: { ...grantDetails(grant), sequence: String(grant.sequence + 1) } };
    },
  }),
  method({
    rpc: `${management}/ListHumanLinkedIDPs`,
    routes: ['POST /management/v1/users/{user_id}/idps/_search'],
    permission: 'user.read',
    request: wire.listIdpLinksRequest,
    response: wire.listLinkedIdpsResponse,
    handle(call, { userId, query }) {
      const user = call.store.users.get(userId);
      const links = user?.orgId === call.orgId ? (user.more?.links ?? []) : [];
      return {
        details: listDetailsOf(call, links.length),
        result: takePage(links, pageOf(query)).map((link) => ({
          userId,
          idpId: link.idpId,
          idpName: call.store.idps.get(link.idpId)?.name ?? '',
          providedUserId: link.externalUserId,
          providedUserName: link.displayName,
        })),
      };
    },
  }),
  method({
    rpc: `${users}/AddIDPLink`,
    routes: ['POST /v2/users/{user_id}/links'],
    permission: 'authenticated',
    request: wire.addIdpLinkRequest,
    response: detailsResponse,
    handle(call, { userId, idpLink }) {
      const user = call.store.users.get(userId);
      if (user === undefined) {
        throw refusal(grpcCodes.failedPrecondition, 'COMMAND-vzktar7b7f', 'Errors.User.NotFound');
      }
      requireOver(call, user, 'user.write');
      const link = { idpId: idpLink.idpId, externalUserId: idpLink.userId, displayName: idpLink.userName };
      return { details: changeDetails(addLink(call, user, link)) };
    },
  }),
  method({
    rpc: `${users}/ListIDPLinks`,
    routes: ['POST /v2/users/{user_id}/links/_search', 'POST /v2/users/{user_id}/links/search'],
    permission: 'authenticated',
    request: wire.listIdpLinksRequest,
    response: wire.listIdpLinksResponse,
    handle(call, { userId, query }) {
      const user = findUser(call, userId, 'QUERY-Dfbg2');
      requireOver(call, user, 'user.read');
      const links = user.more?.links ?? [];
      return {
        details: listDetailsOf(call, links.length),
        result: takePage(links, pageOf(query, defaultPage)).map((link) => ({
          idpId: link.idpId,
          userId: link.externalUserId,
          userName: link.displayName,
        })),
      };
    },
  }),
];
