/** Users by version 1: look up, search, deactivate, lock, delete, within the organization of the call. */
import { message, textUpTo, shortText } from '../../wire/message.ts';
import { listUsersRequest, listUsersResponse } from '../../wire/user-search.ts';
import { getUserResponse, isUserUniqueResponse } from '../../wire/user.ts';
import type { Call } from '../context.ts';
import { refusal } from '../errors.ts';
import { management } from '../method.ts';
import { listDetailsV1, pageOf } from '../paging.ts';
import { changeDetails, showUserV1 } from '../users/show.ts';
import type { UserRow } from '../store/rows.ts';
import { removeUser, setStatus } from '../users/change.ts';
import { findByLoginName } from '../users/names.ts';
import { checkStatus, statusChanges } from '../users/status-changes.ts';
import { searchUsers } from '../users/search.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';

/** The user, if it is one of the org of the call. */
export function userOfCall(call: Call, id: string, errorId: ServiceErrorId): UserRow {
  const user = call.store.users.get(id);
  if (user === undefined || user.orgId !== call.orgId) throw refusal(errorId);
  return user;
}

/** A look-up says by its id that the user belongs to another organization. */
export function readUserOfCall({ lists, orgId }: Call, id: string): UserRow {
  const user = lists.user(id);
  if (user?.orgId === orgId) return user;
  throw refusal(user === undefined ? 'QUERY-Dfbg2' : 'MANAG-fpo4B');
}

export const usersV1Methods = [
  management('GetUserByID', 'GET /management/v1/users/{id}', 'user.read', {
    response: getUserResponse,
    handle: (call, { id }) => ({ user: showUserV1(call.store, readUserOfCall(call, id)) }),
  }),
  management(
    'GetUserByLoginNameGlobal',
    'GET /management/v1/global/users/_by_login_name',
    'user.global.read',
    {
      request: message('GetUserByLoginNameGlobalRequest', { loginName: shortText }),
      response: getUserResponse,
      handle(call, { loginName }) {
        const user = call.lists.user(findByLoginName(call.store, loginName)?.id ?? '');
        if (user === undefined) throw refusal('QUERY-Dfbg2');
        return { user: showUserV1(call.store, user) };
      },
    },
  ),
  management('IsUserUnique', 'GET /management/v1/users/_is_unique', 'user.read', {
    request: message('IsUserUniqueRequest', { userName: textUpTo(200), email: textUpTo(200) }),
    response: isUserUniqueResponse,
    handle: (call, request) => ({ isUnique: isUnique(call, request) }),
  }),
  management('ListUsers', 'POST /management/v1/users/_search', 'user.read', {
    request: listUsersRequest,
    response: listUsersResponse,
    handle(call, request) {
      const store = call.lists.read();
      const found = searchUsers(store, {
        ...pageOf(request.query),
        queries: request.queries,
        orgId: call.orgId,
        sortBy: request.sortingColumn,
      });
      return {
        details: listDetailsV1(call, 'users', found),
        result: found.rows.map((user) => showUserV1(store, user)),
      };
    },
  }),
  management('RemoveUser', 'DELETE /management/v1/users/{id}', 'user.delete', {
    handle: (call, { id }) => ({
      details: changeDetails(removeUser(call, userOfCall(call, id, 'COMMAND-m9od'))),
    }),
  }),
  ...statusChanges.map((change) =>
    management(change.rpc, `POST /management/v1/users/{id}/_${change.path}`, 'user.write', {
      handle(call, { id }) {
        const user = userOfCall(call, id, change.v1.missing);
        checkStatus(change, 'v1', user.status);
        return { details: changeDetails(setStatus(call, user, change.to)) };
      },
    }),
  ),
];

/** No user of the organization has the name and the email; without either, any user will do. Case does not matter. */
function isUnique(call: Call, { userName, email }: { userName: string; email: string }): boolean {
  const method = 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE';
  const { total } = searchUsers(call.lists.read(), {
    queries: [
      ...(userName === '' ? [] : [{ userNameQuery: { userName, method } as const }]),
      ...(email === '' ? [] : [{ emailQuery: { emailAddress: email, method } as const }]),
    ],
    orgId: call.orgId,
    sortBy: 'USER_FIELD_NAME_UNSPECIFIED',
    offset: 0,
    limit: 1,
    ascending: true,
  });
  return total === 0;
}
