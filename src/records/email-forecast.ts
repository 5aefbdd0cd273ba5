/** Tells which email the service will send a user at import. */
import type { UserRecord } from './user.ts';

/**
 * Why an email is sent, or `none`.
 * - `init-unverified`, `init-no-secret`: the initialization email; the user starts in the initial state.
 * - `verify`: the verification email of somebody who has a link to another provider.
 */
export const emailKinds = ['none', 'init-unverified', 'init-no-secret', 'verify'] as const;
export type EmailKind = (typeof emailKinds)[number];

/** Rule of the service: a link spares the initialization email; otherwise a verified address and a secret do. */
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
