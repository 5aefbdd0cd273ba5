/** Authenticates the caller and checks its permissions. */
import { grpcCodes } from '../wire/errors.ts';
import type { Call, Caller } from './method.ts';
import { ServiceError, refusal } from './errors.ts';
import { allow, permissionsOf } from './roles.ts';
import type { MemberRow } from './store/rows.ts';
import type { Store } from './store/store.ts';

/** Throws the 401 answers; `now` in milliseconds. */
export function authenticate(store: Store, authorization: string | undefined, now: number): Caller {
  if (authorization === undefined || authorization === '') {
    throw new ServiceError(grpcCodes.unauthenticated, 'auth header missing');
  }
  const [, given] = /^Bearer +(\S+)$/.exec(authorization) ?? [];
  if (given === undefined) throw refusal('AUTH-toLo1');
  const token = store.tokens.get(given);
  const user = token === undefined ? undefined : store.users.get(token.userId);
  const live = token !== undefined && (token.expires === 0 || token.expires > now) && token.api;
  if (!live || user === undefined || user.status === 'inactive' || user.status === 'locked') {
    throw refusal('AUTH-7fs1e');
  }
  return { user, memberships: store.members.by('user', user.id), token: token.kind };
}

/**
 * Throws 403, and 404 for an org that the caller has no role in. In version 1 the method has a permission; in version 2
 * each handler checks it for the resource.
 */
export function requirePermission(
  { store, caller }: Call,
  orgId: string,
  permission: string,
  errorId: 'AUTH-5mWD2' | 'AUTH-AWfge' = 'AUTH-AWfge',
) {
  const here = membershipsIn(store, caller, orgId);
  if (here.length === 0) throw refusal('AUTHZ-cdgFk');
  if (!here.some(({ roles }) => allow(roles, permission))) throw refusal(errorId);
}

/** For methods that belong to no org: only roles on the instance count. */
export function requireOnInstance(caller: Caller, permission: string) {
  if (holdsOnInstance(caller, permission)) return;
  if (!caller.memberships.some((member) => member.scope === 'iam')) throw refusal('AUTHZ-cdgFk');
  throw refusal('AUTH-AWfge');
}

export function holdsOnInstance(caller: Caller, permission: string): boolean {
  return caller.memberships.some((member) => member.scope === 'iam' && allow(member.roles, permission));
}

export function mayIn(caller: Caller, orgId: string, permission: string): boolean {
  return caller.memberships.some((member) => reaches(member, orgId) && allow(member.roles, permission));
}

function membershipsIn(store: Store, caller: Caller, orgId: string): MemberRow[] {
  return caller.memberships.filter((member) => reaches(member, orgId) || isGranted(store, member, orgId));
}

/** What the caller may do in an org; nothing without a role in it. */
export function permissionsIn(store: Store, caller: Caller, orgId: string): ReadonlySet<string> {
  return permissionsOf(membershipsIn(store, caller, orgId).flatMap((member) => member.roles));
}

/** Roles of the instance hold in every org, those of an org in it, those of a project in the org that owns it. */
function reaches(member: MemberRow, orgId: string) {
  return member.scope === 'iam' || member.orgId === orgId;
}

function isGranted(store: Store, member: MemberRow, orgId: string) {
  if (member.scope !== 'project-grant') return false;
  return store.projectGrants.get(member.objectId)?.grantedOrgId === orgId;
}
