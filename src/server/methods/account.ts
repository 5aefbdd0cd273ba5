/** What the owner of a token may ask about itself: user, memberships, permissions. */
import {
  getMyUserResponse,
  listMembershipsRequest,
  listMembershipsResponse,
  listPermissionsResponse,
} from '../../wire/account.ts';
import { emptyMessage } from '../../wire/details.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import { heldPermissions } from '../auth.ts';
import type { Call } from '../context.ts';
import { method } from '../method.ts';
import type { MemberRow } from '../store/rows.ts';
import { showUserV1 } from '../users/show.ts';

const service = '/zitadel.auth.v1.AuthService';

export const accountMethods = [
  method({
    rpc: `${service}/GetMyUser`,
    routes: ['GET /auth/v1/users/me'],
    permission: 'authenticated',
    request: emptyMessage,
    response: getMyUserResponse,
    handle: (call) => ({ user: showUserV1(call.store, call.caller.user) }),
  }),
  method({
    rpc: `${service}/ListMyMemberships`,
    routes: ['POST /auth/v1/memberships/me/_search'],
    permission: 'authenticated',
    request: listMembershipsRequest,
    response: listMembershipsResponse,
    handle: (call) => ({
      details: {
        totalResult: String(call.caller.memberships.length),
        processedSequence: '1',
        viewTimestamp: formatTimestamp(call.settings.clock.now()),
      },
      result: call.caller.memberships.map((member) => showMembership(call, member)),
    }),
  }),
  method({
    rpc: `${service}/ListMyZitadelPermissions`,
    routes: ['POST /auth/v1/permissions/zitadel/me/_search'],
    permission: 'authenticated',
    request: emptyMessage,
    response: listPermissionsResponse,
    handle: (call) => ({ result: [...heldPermissions(call.store, call.caller, call.orgId)].sort() }),
  }),
];

function showMembership(call: Call, member: MemberRow) {
  const place = {
    iam: { iam: true },
    org: { orgId: member.objectId },
    project: { projectId: member.objectId },
    'project-grant': { projectGrantId: member.objectId },
  };
  return {
    userId: member.userId,
    details: {
      resourceOwner: member.orgId === '' ? call.store.instance.instanceId : member.orgId,
      sequence: '1',
    },
    roles: [...member.roles],
    displayName: call.caller.user.more?.name ?? '',
    ...place[member.scope],
  };
}
