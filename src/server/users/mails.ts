/** What the service would send to a new user, written into the ledger instead. */
import type { MailKind } from '../../records/mail.ts';
import type { ServerState } from '../context.ts';
import type { MailRow, UserRow } from '../store/rows.ts';

export interface MailOccasion {
  readonly reason: MailKind;
  readonly passwordless: boolean;
}

export function noteMails(state: ServerState, user: UserRow, occasion: MailOccasion): void {
  if (occasion.reason !== 'none') {
    const kind = occasion.reason === 'verify' ? 'verify-email' : 'init';
    noteMail(state, user, kind, occasion.reason, user.email);
  }
  const phone = user.more?.phone;
  if (phone !== undefined && user.more?.phoneVerified !== true) {
    noteMail(state, user, 'verify-phone', 'phone-unverified', phone);
  }
}

export function noteMail(
  state: ServerState,
  user: UserRow,
  kind: MailRow['kind'],
  reason: MailRow['reason'],
  to: string,
): void {
  const { store, settings } = state;
  const id = String(store.mails.size + 1);
  store.mails.put({ id, at: settings.clock.now(), kind, reason, userId: user.id, orgId: user.orgId, to });
}
