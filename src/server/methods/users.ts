/**
 * Users in both versions (look-up, search, deactivate, lock, delete), and the caller's own user, memberships and
 * permissions. Version 1 sees the users of the call's organization. In version 2, the permission depends on the user's
 * organization.
 */
import { authenticationMethodsResponse, type authenticationMethodTypes } from '../../wire/sign-in.ts';
import { textUpTo, shortText, flag, json, list } from '../../wire/message.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';
import { mayIn, requirePermission, permissionsIn } from '../auth.ts';
import { type Call, management, users, auth } from '../method.ts';
import { existing, refusal, refuseLacking } from '../errors.ts';
import { pageOf, defaultPage, listPage, listV1, listV2 } from '../paging.ts';
import { changeDetails, detailsOf, showUserV1, showUserV2 } from '../users/show.ts';
import type { UserRow, UserStatus, MemberRow } from '../store/rows.ts';
import { changeUser, removeUser } from '../users/change.ts';
import { findByLoginName, searchUsers } from '../users/search.ts';
import * as wire from '../../wire/user.ts';
import { findById, usersOf } from '../store/store.ts';

/** Returns the user if it belongs to the organization of the call. Throws `errorId` otherwise. */
export const userOfCall = ({ store, orgId }: Call, id: string, errorId: ServiceErrorId) =>
  existing(store.users.get(id), errorId, orgId);

/**
 * Returns a user of the call's organization. Unlike a change, a look-up has its own error id for a user of another one.
 */
export function readUserOfCall({ lists, orgId }: Call, id: string) {
  return existing(existing(lists.user(id), 'QUERY-Dfbg2'), 'MANAG-fpo4B', orgId);
}

export const findUser = ({ store }: Call, id: string, errorId: ServiceErrorId) =>
  existing(findById(store, id), errorId);

/**
 * Returns the user if the caller may act on it. Callers may act on themselves; for others they need the permission in
 * the user's organization.
 */
export function requireOver(call: Call, user: UserRow, permission: string) {
  if (user.id !== call.caller.user.id) requirePermission(call, user.orgId, permission);
  return user;
}

/** Error ids for a missing user and for one whose status does not fit. */
type ErrorIds = readonly [missing: ServiceErrorId, status: ServiceErrorId];

interface StatusChange {
  /** Prefix of the method's name, as in `LockUser`. The path ends in `_lock` in version 1 and in `lock` in version 2. */
  readonly name: string;
  readonly from: readonly UserStatus[];
  readonly to: UserStatus;
  readonly v1: ErrorIds;
  readonly v2: ErrorIds;
}

const statusChanges: readonly StatusChange[] = [
  {
    name: 'Deactivate',
    from: ['active', 'locked'],
    to: 'inactive',
    v1: ['COMMAND-3M9ds', 'COMMAND-5M0sf'],
    v2: ['COMMAND-5gp2p62iin', 'COMMAND-5gunjw0cd7'],
  },
  {
    name: 'Reactivate',
    from: ['inactive'],
    to: 'active',
    v1: ['COMMAND-4M0sd', 'COMMAND-6M0sf'],
    v2: ['COMMAND-9hy5kzbuk6', 'COMMAND-s5qqcz97hf'],
  },
  {
    name: 'Lock',
    from: ['active', 'initial'],
    to: 'locked',
    v1: ['COMMAND-5M9fs', 'COMMAND-3NN8v'],
    v2: ['COMMAND-450yxuqrh1', 'COMMAND-lgws8wtsqf'],
  },
  {
    name: 'Unlock',
    from: ['locked'],
    to: 'active',
    v1: ['COMMAND-M0dos', 'COMMAND-4M0ds'],
    v2: ['COMMAND-x377t913pw', 'COMMAND-olb9vb0oca'],
  },
];

/** Changes the status. Throws if the current status does not fit, before it checks the permission. */
function changeStatus(call: Call, change: StatusChange, version: 'v1' | 'v2', user: UserRow) {
  if (!change.from.includes(user.status)) {
    const ofInitial = version === 'v1' ? 'COMMAND-ke0fw' : 'COMMAND-gvx4kct9r2';
    throw refusal(user.status === 'initial' && change.to === 'inactive' ? ofInitial : change[version][1]);
  }
  if (version === 'v2') requireOver(call, user, 'user.write');
  // A user who is no longer locked has all attempts again.
  const counted = user.status === 'locked' ? { failedAttempts: undefined, failedCodes: undefined } : {};
  return changeDetails(changeUser(call, user, { status: change.to, ...counted }));
}

export const userMethods = [
  management('GetUserByID', 'GET /management/v1/users/:id', 'user.read', {
    response: wire.getUserResponse,
    handle: (call, { id }) => ({ user: showUserV1(call.store, readUserOfCall(call, id)) }),
  }),
  management(
    'GetUserByLoginNameGlobal',
    'GET /management/v1/global/users/_by_login_name',
    'user.global.read',
    {
      request: { loginName: shortText },
      response: wire.getUserResponse,
      handle(call, { loginName }) {
        const id = findByLoginName(call.store, loginName)?.id ?? '';
        return { user: showUserV1(call.store, existing(call.lists.user(id), 'QUERY-Dfbg2')) };
      },
    },
  ),
  management('IsUserUnique', 'GET /management/v1/users/_is_unique', 'user.read', {
    request: { userName: textUpTo(200), email: textUpTo(200) },
    response: { isUnique: flag },
    // An empty value matches every user.
    handle(call, { userName, email }) {
      const matches = (asked: string, own: string) =>
        asked === '' || asked.toLowerCase() === own.toLowerCase();
      const users = usersOf(call.lists.read(), call.orgId);
      return {
        isUnique: !users.some((user) => matches(userName, user.userName) && matches(email, user.email)),
      };
    },
  }),
  management('ListUsers', 'POST /management/v1/users/_search', 'user.read', {
    request: wire.listUsersRequest,
    response: wire.listUsersResponse,
    handle(call, request) {
      const store = call.lists.read();
      const found = searchUsers(store, {
        ...pageOf(request.query),
        queries: request.queries,
        orgId: call.orgId,
        sortBy: request.sortingColumn,
      });
      return listV1(call, 'users', found, (user) => showUserV1(store, user));
    },
  }),
  management('RemoveUser', 'DELETE /management/v1/users/:id', 'user.delete', {
    handle: (call, { id }) => changeDetails(removeUser(call, userOfCall(call, id, 'COMMAND-m9od'))),
  }),
  users('GetUserByID', 'GET /v2/users/:userId', 'authenticated', {
    response: wire.getUserV2Response,
    handle(call, { userId }) {
      const user = requireOver(call, existing(call.lists.user(userId), 'QUERY-Dfbg2'), 'user.read');
      return { details: detailsOf(user), user: showUserV2(call.store, user) };
    },
  }),
  users('ListAuthenticationMethodTypes', 'GET /v2/users/:userId/authentication_methods', 'authenticated', {
    response: authenticationMethodsResponse,
    handle(call, { userId }) {
      const user = call.store.users.get(userId);
      if (user !== undefined) requireOver(call, user, 'user.read');
      const rows = user === undefined ? [] : methodsOf(user);
      const { details, result } = listV2(call, 'users', { rows, total: rows.length }, (type) => type);
      return { details, authMethodTypes: result };
    },
  }),
  users('ListUsers', 'POST /v2/users', 'authenticated', {
    request: wire.listUsersV2Request,
    response: wire.listUsersV2Response,
    handle(call, request) {
      const store = call.lists.read();
      const everywhere = call.caller.memberships.some((member) => member.scope === 'iam');
      const onlyOrg = request.queries.find((query) => query.organizationIdQuery)?.organizationIdQuery;
      const found = searchUsers(store, {
        ...pageOf(request.query, defaultPage),
        queries: request.queries,
        orgId: onlyOrg?.organizationId,
        visible: everywhere
          ? undefined
          : (user) => user.id === call.caller.user.id || mayIn(call.caller, user.orgId, 'user.read'),
        sortBy: request.sortingColumn,
      });
      return listV2(call, 'users', found, (user) => showUserV2(store, user));
    },
  }),
  users('DeleteUser', 'DELETE /v2/users/:userId', 'authenticated', {
    handle(call, { userId }) {
      const user = findUser(call, userId, 'COMMAND-bd4ir1mblj');
      return changeDetails(removeUser(call, requireOver(call, user, 'user.delete')));
    },
  }),
  ...statusChanges.flatMap((change) => [
    management(
      `${change.name}User`,
      `POST /management/v1/users/:id/_${change.name.toLowerCase()}`,
      'user.write',
      {
        handle: (call, { id }) => changeStatus(call, change, 'v1', userOfCall(call, id, change.v1[0])),
      },
    ),
    users(`${change.name}User`, `POST /v2/users/:userId/${change.name.toLowerCase()}`, 'authenticated', {
      handle: (call, { userId }) => changeStatus(call, change, 'v2', findUser(call, userId, change.v2[0])),
    }),
  ]),
  auth('GetMyUser', 'GET /auth/v1/users/me', 'authenticated', {
    response: wire.getMyUserResponse,
    handle: (call) => ({ user: showUserV1(call.store, call.caller.user) }),
  }),
  auth('ListMyMemberships', 'POST /auth/v1/memberships/me/_search', 'authenticated', {
    request: { queries: list(json) },
    response: wire.listMembershipsResponse,
    // Returns all memberships, whatever page the request asks for.
    handle(call, { queries }) {
      refuseLacking(queries.length > 0, 'queries of memberships');
      const { memberships } = call.caller;
      return listPage(call, 'members', memberships, undefined, (member) => showMembership(call, member));
    },
  }),
  auth('ListMyZitadelPermissions', 'POST /auth/v1/permissions/zitadel/me/_search', 'authenticated', {
    response: wire.listPermissionsResponse,
    handle: (call) => ({ result: [...permissionsIn(call.store, call.caller, call.orgId)].sort() }),
  }),
];

/** Returns the authentication methods, second factors first, as the service joins them. */
function methodsOf({ passwordHash, otpSecret, links = [] }: UserRow) {
  const methods: (typeof authenticationMethodTypes)[number][] = [];
  if (otpSecret !== undefined) methods.push('AUTHENTICATION_METHOD_TYPE_TOTP');
  if (passwordHash !== '') methods.push('AUTHENTICATION_METHOD_TYPE_PASSWORD');
  if (links.length > 0) methods.push('AUTHENTICATION_METHOD_TYPE_IDP');
  return methods;
}

function showMembership({ store: { instance, orgs } }: Call, member: MemberRow) {
  const owner = member.orgId || instance.instanceId;
  const place = {
    iam: { iam: true },
    org: { orgId: member.objectId },
    project: { projectId: member.objectId },
    'project-grant': { projectGrantId: member.objectId },
  };
  return {
    userId: member.userId,
    details: detailsOf({ sequence: 1, created: member.created, orgId: owner }),
    roles: member.roles,
    displayName: orgs.get(member.orgId)?.name ?? instance.name,
    ...place[member.scope],
  };
}
