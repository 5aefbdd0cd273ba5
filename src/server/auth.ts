/** Authenticates callers and checks their permissions. */
import { grpcCodes } from '../wire/errors.ts';
import type { Call, Caller } from './method.ts';
import { ServiceError, refusal, refuseIf, existing } from './errors.ts';
import { allow, permissionsOf } from './roles.ts';
import type { MemberRow } from './store/rows.ts';
import type { Store } from './store/store.ts';

/** Returns the caller of a token. Throws the 401 answers. `now` is in milliseconds. */
export function authenticate(store: Store, authorization: string | undefined, now: number): Caller {
  if (authorization === undefined || authorization === '') {
    throw new ServiceError(grpcCodes.unauthenticated, 'auth header missing');
  }
  const [, given] = /^Bearer +(\S+)$/.exec(authorization) ?? [];
  const token = store.tokens.get(existing(given, 'AUTH-toLo1'));
  const user = store.users.get(token?.userId ?? '');
  const live = token !== undefined && token.expires > now && token.api;
  if (!live || user === undefined || user.status === 'inactive' || user.status === 'locked')
    throw refusal('AUTH-7fs1e');
  return { user, memberships: store.members.by('user', user.id), token: token.kind };
}

/**
 * Throws 403 if the caller lacks the permission in the organization, and 404 if it has no role there at all. An `orgId` of '' asks for
 * roles on the instance. In version 1, the method declares its permission; in version 2, each handler checks it for the resource.
 */
export function requirePermission(
  { store, caller }: Call,
  orgId: string,
  permission: string,
  errorId: 'AUTH-5mWD2' | 'AUTH-AWfge' = 'AUTH-AWfge',
) {
  // A caller that created many organizations has as many memberships; that of the instance is among the first.
  if (mayIn(caller, orgId, permission)) return;
  const here = membershipsIn(store, caller, orgId);
  refuseIf(here.length === 0, 'AUTHZ-cdgFk');
  refuseIf(!here.some(({ roles }) => allow(roles, permission)), errorId);
}

/** An `orgId` of '' asks for roles on the instance. */
export function mayIn(caller: Caller, orgId: string, permission: string) {
  return caller.memberships.some((member) => reaches(member, orgId) && allow(member.roles, permission));
}

function membershipsIn(store: Store, caller: Caller, orgId: string) {
  const isGranted = ({ scope, objectId }: MemberRow) =>
    scope === 'project-grant' && store.projectGrants.get(objectId)?.grantedOrgId === orgId;
  return caller.memberships.filter((member) => reaches(member, orgId) || isGranted(member));
}

/** Returns what the caller may do in an organization. Empty without a role there. */
export function permissionsIn(store: Store, caller: Caller, orgId: string) {
  return permissionsOf(membershipsIn(store, caller, orgId).flatMap((member) => member.roles));
}

/**
 * Instance roles hold in every organization, organization roles in theirs, project roles in the organization that owns
 * the project.
 */
function reaches(member: MemberRow, orgId: string) {
  return member.scope === 'iam' || member.orgId === orgId;
}
