/** What the receiver asks of the service, and the one thing that it writes there. */
import type { Client } from '../../api/client.ts';
import { ApiError, isRefusal } from '../../api/api-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { updateUserResponse } from '../../wire/create-user.ts';
import { getSessionResponse } from '../../wire/sign-in.ts';
import { createBreaker, inTime } from './breaker.ts';
import { getUserV2Response, type UserV2, listUsersV2Response } from '../../wire/user.ts';
import { readSignInMethods, userPath } from '../reconcile/find-users.ts';

export interface ServiceUser {
  readonly id: string;
  readonly orgId: string;
  readonly userName: string;
  readonly loginName: string;
  readonly email: string;
  readonly isActive: boolean;
  /** When, RFC 3339; empty where the service does not say. */
  readonly created: string;
  readonly passwordChanged: string;
}

interface SessionUser {
  readonly id?: string | undefined;
  readonly address?: string | undefined;
}

/** Every function throws `ApiError` where the service refuses. */
export interface LoginService {
  /** The user of a session, and the address of the browser; without them where it has none, or is not there. */
  userOfSession(sessionId: string): Promise<SessionUser>;
  findUser(id: string): Promise<ServiceUser | undefined>;
  /** Undefined where none or several have it; the same for the user name. */
  findByLoginName(loginName: string): Promise<ServiceUser | undefined>;
  findByUserName(userName: string): Promise<ServiceUser | undefined>;
  hasPassword(id: string): Promise<boolean>;
  writePassword(id: string, hash: string, changeRequired: boolean): Promise<void>;
}

/** Thrown in place of a call to a service that has failed or answered too slowly: it is left alone for a while. */
export class ServicePaused extends Error {
  override readonly name = 'ServicePaused';
}

/** `timeout` in milliseconds is for what is read: once begun, a password is written however long that takes. */
export function guardService(service: LoginService, clock: Clock, timeout: number): LoginService {
  const breaker = createBreaker(clock);
  const guarded = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    if (!breaker.enter()) throw new ServicePaused('it has failed several times in a row');
    try {
      const value = await call();
      breaker.worked();
      return value;
    } catch (error) {
      const isOfOneUser = isRefusal(error);
      if (isOfOneUser) breaker.worked();
      else breaker.failed();
      throw error;
    }
  };
  const late = (): ServicePaused => new ServicePaused('it did not answer in time');
  const read = <Value>(call: () => Promise<Value>): Promise<Value> =>
    guarded(() => inTime(clock, timeout, call(), late));
  return {
    userOfSession: (sessionId) => read(() => service.userOfSession(sessionId)),
    findUser: (id) => read(() => service.findUser(id)),
    findByLoginName: (loginName) => read(() => service.findByLoginName(loginName)),
    findByUserName: (userName) => read(() => service.findByUserName(userName)),
    hasPassword: (id) => read(() => service.hasPassword(id)),
    writePassword: (...args) => guarded(() => service.writePassword(...args)),
  };
}

export function createLoginService(client: Client): LoginService {
  return {
    async userOfSession(sessionId) {
      const path = `/v2/sessions/${encodeURIComponent(sessionId)}`;
      const answer = await orMissing(client.call({ method: 'GET', path, answer: getSessionResponse }));
      const { factors, userAgent } = answer?.session ?? {};
      return { id: factors?.user?.id, address: userAgent?.ip };
    },
    async findUser(id) {
      const path = userPath(id);
      const answer = await orMissing(client.call({ method: 'GET', path, answer: getUserV2Response }));
      return answer?.user === undefined ? undefined : toServiceUser(answer.user);
    },
    findByLoginName: (loginName) => findOnly(client, { loginNameQuery: { loginName, method } }),
    findByUserName: (userName) => findOnly(client, { userNameQuery: { userName, method } }),
    async hasPassword(id) {
      return (await readSignInMethods(client, id)).includes('AUTHENTICATION_METHOD_TYPE_PASSWORD');
    },
    async writePassword(id, hash, changeRequired) {
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

async function findOnly(client: Client, query: object): Promise<ServiceUser | undefined> {
  const { result } = await client.call({
    method: 'POST',
    path: '/v2/users',
    body: { query: { limit: 2 }, queries: [query] },
    answer: listUsersV2Response,
  });
  const [found, other] = result;
  return found === undefined || other !== undefined ? undefined : toServiceUser(found);
}

function toServiceUser({ userId, details, username, state, preferredLoginName, human }: UserV2): ServiceUser {
  return {
    id: userId,
    orgId: details?.resourceOwner ?? '',
    userName: username,
    loginName: preferredLoginName,
    email: human?.email?.email ?? '',
    isActive: state === 'USER_STATE_ACTIVE',
    created: details?.creationDate ?? '',
    passwordChanged: human?.passwordChanged ?? '',
  };
}

async function orMissing<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
