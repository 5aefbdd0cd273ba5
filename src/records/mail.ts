/** What the service will send to a person at import, known before the first byte is sent. */
import type { UserRecord } from './user.ts';

/**
 * Why a mail goes out, or `none`.
 * - `init-unverified`, `init-no-secret`: the initialisation mail; the person starts in the initial state.
 * - `verify`: the verification mail of somebody who has a link to another provider.
 */
export const mailKinds = ['none', 'init-unverified', 'init-no-secret', 'verify'] as const;
export type MailKind = (typeof mailKinds)[number];

/** Rule of the service: a link spares the initialisation mail; otherwise a verified address and a secret do. */
export function mailAtImport(linked: boolean, emailVerified: boolean, hasSecret: boolean): MailKind {
  if (linked) return emailVerified ? 'none' : 'verify';
  if (!emailVerified) return 'init-unverified';
  return hasSecret ? 'none' : 'init-no-secret';
}

export function forecastMail(
  user: Pick<UserRecord, 'links' | 'emailVerified' | 'passwordHash' | 'plainPassword'>,
): MailKind {
  const hasSecret = user.passwordHash !== '' || user.plainPassword !== '';
  return mailAtImport(user.links.length > 0, user.emailVerified, hasSecret);
}

/** A phone that nobody verified gets a code by SMS where the service has an SMS provider. */
export function forecastSms(user: Pick<UserRecord, 'phone' | 'phoneVerified'>): boolean {
  return user.phone !== '' && !user.phoneVerified;
}
