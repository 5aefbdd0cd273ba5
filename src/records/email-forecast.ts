/** What the service will send to a person at import, known before the first byte is sent. */
import type { UserRecord } from './user.ts';

/**
 * Why a mail goes out, or `none`.
 * - `init-unverified`, `init-no-secret`: the initialisation mail; the person starts in the initial state.
 * - `verify`: the verification mail of somebody who has a link to another provider.
 */
export const emailKinds = ['none', 'init-unverified', 'init-no-secret', 'verify'] as const;
export type EmailKind = (typeof emailKinds)[number];

/** Rule of the service: a link spares the initialisation mail; otherwise a verified address and a secret do. */
export function emailAtImport(linked: boolean, emailVerified: boolean, hasSecret: boolean): EmailKind {
  if (linked) return emailVerified ? 'none' : 'verify';
  if (!emailVerified) return 'init-unverified';
  return hasSecret ? 'none' : 'init-no-secret';
}

export function forecastEmail(
  user: Pick<UserRecord, 'links' | 'emailVerified' | 'passwordHash' | 'plainPassword'>,
): EmailKind {
  const hasSecret = user.passwordHash !== '' || user.plainPassword !== '';
  return emailAtImport(user.links.length > 0, user.emailVerified, hasSecret);
}

/** A phone that nobody verified gets a code by SMS where the service has an SMS provider. */
export function forecastSms(user: Pick<UserRecord, 'phone' | 'phoneVerified'>): boolean {
  return user.phone !== '' && !user.phoneVerified;
}
