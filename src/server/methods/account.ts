/** What the owner of a token may ask about itself: user, memberships, permissions. */
import { query } from '../../wire/details.ts';
import { permissionsIn } from '../auth.ts';
import * as wire from '../../wire/account.ts';
import type { Call } from '../context.ts';
import { auth } from '../method.ts';
import type { MemberRow } from '../store/rows.ts';
import { listDetailsV1 } from '../paging.ts';
import { detailsOf, showUserV1 } from '../users/show.ts';

export const accountMethods = [
  auth('GetMyUser', 'GET /auth/v1/users/me', 'authenticated', {
    response: wire.getMyUserResponse,
    handle: (call) => ({ user: showUserV1(call.store, call.caller.user) }),
  }),
  auth('ListMyMemberships', 'POST /auth/v1/memberships/me/_search', 'authenticated', {
    request: { query },
    response: wire.listMembershipsResponse,
    handle(call) {
      const { memberships } = call.caller;
      const found = { rows: memberships, total: memberships.length };
      return {
        details: listDetailsV1(call, 'members', found),
        result: memberships.map((member) => showMembership(call, member)),
      };
    },
  }),
  auth('ListMyZitadelPermissions', 'POST /auth/v1/permissions/zitadel/me/_search', 'authenticated', {
    response: wire.listPermissionsResponse,
    handle: (call) => ({ result: [...permissionsIn(call.store, call.caller, call.orgId)].sort() }),
  }),
];

function showMembership({ store: { instance, orgs } }: Call, member: MemberRow) {
  const owner = member.orgId === '' ? instance.instanceId : member.orgId;
  const place = {
    iam: { iam: true },
    org: { orgId: member.objectId },
    project: { projectId: member.objectId },
    'project-grant': { projectGrantId: member.objectId },
  };
  return {
    userId: member.userId,
    details: detailsOf({ sequence: 1, created: member.created, orgId: owner }),
    roles: [...member.roles],
    displayName: orgs.get(member.orgId)?.name ?? instance.name,
    ...place[member.scope],
  };
}
