/**
 * Users by version 2: look up, search, deactivate, lock, delete. The permission belongs to the user's
 * organization.
 */
import { authenticationMethodsResponse, type authenticationMethodTypes } from '../../wire/sign-in.ts';
import { listUsersV2Request, listUsersV2Response } from '../../wire/user-search.ts';
import { getUserV2Response } from '../../wire/user.ts';
import { mayIn, requirePermission } from '../auth.ts';
import type { Call } from '../context.ts';
import { refusal } from '../errors.ts';
import { users } from '../method.ts';
import { defaultPage, listDetailsV2, pageOf } from '../paging.ts';
import { changeDetails, detailsOf, showUserV2 } from '../users/show.ts';
import type { UserRow } from '../store/rows.ts';
import { removeUser, setStatus } from '../users/change.ts';
import { findById } from '../users/names.ts';
import { checkStatus, statusChanges } from '../users/status-changes.ts';
import { searchUsers } from '../users/search.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';

/** The user; throws 404 with `errorId` when there is none. */
export function findUser(call: Call, id: string, errorId: ServiceErrorId): UserRow {
  const user = findById(call.store, id);
  if (user === undefined) throw refusal(errorId);
  return user;
}

/** The caller may do this to itself, or needs the permission in the user's org. */
export function requireOver(call: Call, user: UserRow, permission: string): void {
  if (user.id !== call.caller.user.id) requirePermission(call.store, call.caller, user.orgId, permission);
}

export const usersV2Methods = [
  users('GetUserByID', 'GET /v2/users/{user_id}', 'authenticated', {
    response: getUserV2Response,
    handle(call, { userId }) {
      const user = call.lists.user(userId);
      if (user === undefined) throw refusal('QUERY-Dfbg2');
      requireOver(call, user, 'user.read');
      return { details: detailsOf(user), user: showUserV2(call.store, user) };
    },
  }),
  users('ListAuthenticationMethodTypes', 'GET /v2/users/{user_id}/authentication_methods', 'authenticated', {
    response: authenticationMethodsResponse,
    handle(call, { userId }) {
      const user = call.store.users.get(userId);
      if (user !== undefined) requireOver(call, user, 'user.read');
      const authMethodTypes = user === undefined ? [] : methodsOf(user);
      const found = { rows: authMethodTypes, total: authMethodTypes.length };
      return { details: listDetailsV2(call, 'users', found), authMethodTypes };
    },
  }),
  users('ListUsers', 'POST /v2/users', 'authenticated', {
    request: listUsersV2Request,
    response: listUsersV2Response,
    handle(call, request) {
      const store = call.lists.read();
      const everywhere = call.caller.memberships.some((member) => member.scope === 'iam');
      const onlyOrg = request.queries.find((query) => query.organizationIdQuery)?.organizationIdQuery;
      const found = searchUsers(store, {
        ...pageOf(request.query, defaultPage),
        queries: request.queries.filter((query) => query.organizationIdQuery !== onlyOrg || !onlyOrg),
        orgId: onlyOrg?.organizationId,
        visible: everywhere ? undefined : (user) => isVisible(call, user),
        sortBy: request.sortingColumn,
      });
      return {
        details: listDetailsV2(call, 'users', found),
        result: found.rows.map((user) => showUserV2(store, user)),
      };
    },
  }),
  users('DeleteUser', 'DELETE /v2/users/{user_id}', 'authenticated', {
    handle(call, { userId }) {
      const user = findUser(call, userId, 'COMMAND-bd4ir1mblj');
      requireOver(call, user, 'user.delete');
      return { details: changeDetails(removeUser(call, user)) };
    },
  }),
  ...statusChanges.map((change) =>
    users(change.rpc, `POST /v2/users/{user_id}/${change.path}`, 'authenticated', {
      handle(call, { userId }) {
        const user = findUser(call, userId, change.v2.missing);
        checkStatus(change, 'v2', user.status);
        requireOver(call, user, 'user.write');
        return { details: changeDetails(setStatus(call, user, change.to)) };
      },
    }),
  ),
];

/** Second factors first, as the service joins them. */
function methodsOf({ passwordHash, more }: UserRow): (typeof authenticationMethodTypes)[number][] {
  const methods: (typeof authenticationMethodTypes)[number][] = [];
  if (more?.otpSecret !== undefined) methods.push('AUTHENTICATION_METHOD_TYPE_TOTP');
  if (passwordHash !== '') methods.push('AUTHENTICATION_METHOD_TYPE_PASSWORD');
  if ((more?.links ?? []).length > 0) methods.push('AUTHENTICATION_METHOD_TYPE_IDP');
  return methods;
}

function isVisible(call: Call, user: UserRow): boolean {
  return user.id === call.caller.user.id || mayIn(call.caller, user.orgId, 'user.read');
}
