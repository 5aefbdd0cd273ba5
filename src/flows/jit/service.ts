/** What the receiver asks of the service, and the one thing that it writes there. */
import { search, type Client } from '../../api/client.ts';
import { ifMissing, isRefusal } from '../../api/api-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { updateUserResponse } from '../../wire/create-user.ts';
import { getSessionResponse } from '../../wire/sign-in.ts';
import { createBreaker, inTime } from './breaker.ts';
import { getUserV2Response, type UserV2, listUsersV2Response } from '../../wire/user.ts';
import { readSignInMethods, userPath } from '../reconcile/find-users.ts';

/** Thrown in place of a call to a service that has failed or answered too slowly: it is left alone for a while. */
export class ServicePaused extends Error {
  override readonly name = 'ServicePaused';
}

type Calls = Pick<Client, 'call'>;

/** `timeout` in milliseconds is for what is read: once begun, a password is written however long that takes. */
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

/** Every function throws `ApiError` where the service refuses. */
export function createLoginService(client: Calls) {
  return {
    /** The user of a session, and the address of the browser; without them where it has none, or is not there. */
    async userOfSession(sessionId: string) {
      const path = `/v2/sessions/${encodeURIComponent(sessionId)}`;
      const call = { method: 'GET', path, answer: getSessionResponse } as const;
      const answer = await client.call(call).catch(ifMissing);
      const { factors, userAgent } = answer?.session ?? {};
      return { id: factors?.user?.id, address: userAgent?.ip };
    },
    async findUser(id: string) {
      const path = userPath(id);
      const call = { method: 'GET', path, answer: getUserV2Response } as const;
      const answer = await client.call(call).catch(ifMissing);
      return answer?.user === undefined ? undefined : toServiceUser(answer.user);
    },
    /** Undefined where none or several have it; the same for the user name. */
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
    /** When, RFC 3339; empty where the service does not say. */
    created: details?.creationDate ?? '',
    passwordChanged: human?.passwordChanged ?? '',
  };
}
