/** Sessions: created from a user and checks of their password. */
import { randomBytes } from 'node:crypto';
import { grpcCodes } from '../../wire/errors.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import { createSessionRequest, createSessionResponse } from '../../wire/sign-in.ts';
import { requireOnInstance } from '../auth.ts';
import type { Call } from '../context.ts';
import { refusal } from '../errors.ts';
import { method } from '../method.ts';
import type { UserRow } from '../store/rows.ts';
import { findByLoginName } from '../users/names.ts';
import { checkPassword } from '../users/password.ts';

export const sessionMethods = [
  method({
    rpc: '/zitadel.session.v2.SessionService/CreateSession',
    routes: ['POST /v2/sessions'],
    permission: 'authenticated',
    request: createSessionRequest,
    response: createSessionResponse,
    async handle(call, { checks }) {
      requireOnInstance(call.caller, 'session.write');
      const user = checks?.user === undefined ? undefined : findChecked(call, checks.user);
      if (checks?.password !== undefined) {
        if (user === undefined) {
          throw refusal(grpcCodes.failedPrecondition, 'COMMAND-Sfw3f', 'Errors.User.UserIDMissing');
        }
        await checkPassword(call, user, checks.password.password);
      }
      return {
        details: {
          sequence: '2',
          changeDate: formatTimestamp(call.settings.clock.now()),
          resourceOwner: call.store.instance.instanceId,
        },
        sessionId: call.store.nextId(),
        sessionToken: randomBytes(64).toString('base64url'),
      };
    },
  }),
];

function findChecked(
  { store }: Call,
  { userId, loginName }: { userId?: string | undefined; loginName?: string | undefined },
): UserRow {
  const user = userId === undefined ? findByLoginName(store, loginName ?? '') : store.users.get(userId);
  if (user === undefined || user.kind !== 'human') {
    throw refusal(grpcCodes.notFound, 'QUERY-Dfbg2', 'Errors.User.NotFound');
  }
  if (user.status === 'inactive') {
    throw refusal(grpcCodes.failedPrecondition, 'COMMAND-Df4b3', 'Errors.User.NotActive');
  }
  return user;
}
