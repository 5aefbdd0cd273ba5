/** Records the emails and SMS that the service would send. */
import type { EmailKind } from '../../records/messages.ts';
import type { ServerState } from '../context.ts';
import { makeRoom } from '../recent.ts';
import type { NotificationRow, UserRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export function notifyNewUser(state: ServerState, user: UserRow, reason: EmailKind): void {
  if (reason !== 'none')
    notify(state, user, reason === 'verify' ? 'verify-email' : 'init', reason, user.email);
  const phone = user.more?.phone;
  if (phone !== undefined && user.more?.phoneVerified !== true) {
    notify(state, user, 'verify-phone', 'phone-unverified', phone);
  }
}

export function notify(
  state: ServerState,
  user: UserRow,
  kind: NotificationRow['kind'],
  reason: NotificationRow['reason'],
  to: string,
): void {
  const { store, settings } = state;
  if (settings.isSeed === true) return;
  const { notifications } = store;
  const number = countMessages(store) + 1;
  makeRoom(notifications, settings.keptRows);
  notifications.put({
    id: store.nextId(),
    number,
    at: store.now(),
    kind,
    reason,
    userId: user.id,
    orgId: user.orgId,
    to,
  });
}

/** How many there were in all, including those that were dropped. */
export function countMessages({ notifications }: Store): number {
  const [first] = notifications.values();
  return (first?.number ?? 1) - 1 + notifications.size;
}
