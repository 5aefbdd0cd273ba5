/**
 * A password in, nothing out when it is the user's; failures are counted and may lock, a hash of
 * another family is renewed.
 */
import { grpcCodes } from '../../wire/errors.ts';
import type { ServerState } from '../context.ts';
import { refusal } from '../errors.ts';
import type { UserRow } from '../store/rows.ts';

export async function checkPassword(state: ServerState, user: UserRow, password: string): Promise<void> {
  const { store, settings } = state;
  if (user.status === 'locked') {
    throw refusal(grpcCodes.failedPrecondition, 'COMMAND-JLK35', 'Errors.User.Locked');
  }
  if (user.passwordHash === '') {
    throw refusal(grpcCodes.failedPrecondition, 'COMMAND-3nJ4t', 'Errors.User.Password.NotSet');
  }
  const right = await settings.verifyPassword(password, user.passwordHash).catch(() => {
    throw refusal(grpcCodes.internal, 'COMMAND-CahN2', 'Errors.Internal');
  });
  // Somebody else may have changed the row while the hash was worked out.
  const row = store.users.get(user.id) ?? user;
  if (!right) throw countFailure(state, row);
  const renew = !row.passwordHash.startsWith('$2') && Buffer.byteLength(password) <= 72;
  if (!renew && row.more?.failedAttempts === undefined) return;
  const { failedAttempts: _, ...more } = row.more ?? {};
  const passwordHash = renew ? await settings.hashPassword(password) : row.passwordHash;
  store.users.put({ ...row, passwordHash, more, sequence: row.sequence + 1 });
}

function countFailure(state: ServerState, user: UserRow): Error {
  const failedAttempts = (user.more?.failedAttempts ?? 0) + 1;
  const most = state.store.orgs.get(user.orgId)?.lockoutPolicy?.maxPasswordAttempts ?? 0;
  const status = most > 0 && failedAttempts >= most ? 'locked' : user.status;
  state.store.users.put({
    ...user,
    status,
    more: { ...user.more, failedAttempts },
    sequence: user.sequence + 1,
  });
  return refusal(grpcCodes.invalidArgument, 'COMMAND-3M0fs', 'Errors.User.Password.Invalid', {
    failedAttempts,
  });
}
