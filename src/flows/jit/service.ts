/** Calls of the receiver to the service: lookups, and writing a password. */
import { get, search, type Client } from '../../api/client.ts';
import { ifMissing, isRefusal } from '../../api/api-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { updateUserResponse } from '../../wire/create-user.ts';
import { getSessionResponse } from '../../wire/sign-in.ts';
import { createBreaker, inTime } from './breaker.ts';
import { type UserV2, listUsersV2Response } from '../../wire/user.ts';
import { getUser, readSignInMethods, userPath } from '../reconcile/find-users.ts';

/** Thrown if the service did not answer in time, or instead of a call while it is paused after failures. */
class ServicePaused extends Error {
  override readonly name = 'ServicePaused';
}

type Calls = Pick<Client, 'call'>;

/** Adds a circuit breaker, and a `timeout` in milliseconds for reads. Writing a password has no timeout. */
export function guardCalls(client: Calls, clock: Clock, timeout: number): Calls {
  const breaker = createBreaker(clock);
  const late = () => new ServicePaused('it did not answer in time');
  return {
    async call(call) {
      if (!breaker.enter()) throw new ServicePaused('it has failed several times in a row');
      try {
        const answer = client.call(call);
        const value = await (call.method === 'GET' || call.method === 'POST'
          ? inTime(clock, timeout, answer, late)
          : answer);
        breaker.worked();
        return value;
      } catch (error) {
        const isOfOneUser = isRefusal(error);
        if (isOfOneUser) breaker.worked();
        else breaker.failed();
        throw error;
      }
    },
  };
}

export type LoginService = ReturnType<typeof createLoginService>;

/** Every function throws `ApiError` if the service refuses. */
export function createLoginService(client: Calls) {
  return {
    /** Returns the user id and the browser's IP address of a session. Both are undefined if unknown. */
    async userOfSession(sessionId: string) {
      const path = `/v2/sessions/${encodeURIComponent(sessionId)}`;
      const answer = await client.call(get(path, getSessionResponse)).catch(ifMissing);
      const { factors, userAgent } = answer?.session ?? {};
      return { id: factors?.user?.id, address: userAgent?.ip };
    },
    async findUser(id: string) {
      const answer = await client.call(getUser(id)).catch(ifMissing);
      return answer?.user && toServiceUser(answer.user);
    },
    /** This and `findByUserName` resolve to undefined unless exactly one user has the name. */
    findByLoginName: (loginName: string) => findOnly(client, { loginNameQuery: { loginName, method } }),
    findByUserName: (userName: string) => findOnly(client, { userNameQuery: { userName, method } }),
    async hasPassword(id: string) {
      return (await readSignInMethods(client, id)).includes('AUTHENTICATION_METHOD_TYPE_PASSWORD');
    },
    async writePassword(id: string, hash: string, changeRequired: boolean) {
      await client.call({
        method: 'PATCH',
        path: userPath(id),
        body: { human: { password: { hashedPassword: { hash, changeRequired } } } },
        answer: updateUserResponse,
      });
    },
  };
}

const method = 'TEXT_QUERY_METHOD_EQUALS_IGNORE_CASE';

async function findOnly(client: Calls, query: object) {
  const body = { query: { limit: 2 }, queries: [query] };
  const { result } = await client.call(search('/v2/users', body, listUsersV2Response));
  const [found, other] = result;
  return found === undefined || other !== undefined ? undefined : toServiceUser(found);
}

export type ServiceUser = ReturnType<typeof toServiceUser>;

function toServiceUser({ userId, details, username, state, preferredLoginName, human }: UserV2) {
  return {
    id: userId,
    orgId: details?.resourceOwner ?? '',
    userName: username,
    loginName: preferredLoginName,
    email: human?.email?.email ?? '',
    isActive: state === 'USER_STATE_ACTIVE',
    /** RFC 3339. Empty if the service does not tell. */
    created: details?.creationDate ?? '',
    passwordChanged: human?.passwordChanged ?? '',
  };
}
