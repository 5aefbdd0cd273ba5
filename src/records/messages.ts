/**
 * Decides which messages the service sends a user at import, by how the user is created or changed. All imports,
 * forecasts, lists of recipients and the reference server ask here. `flows/messages/gate.ts` stops an import that would
 * send more than allowed.
 */
import { count, type Counts } from './tally.ts';
import type { UserRecord } from './user.ts';

/**
 * How users are created. `one-call` is CreateUser, which sends nothing. `one-call-verify` is the same, but the service
 * is asked to have unverified addresses verified. `import` is `_import` of version 1 or the bulk import, which send by
 * the same rule.
 */
export type Route = 'one-call' | 'one-call-verify' | 'import';

/** `isOneCall` means by CreateUser. `verifies` means that `--send-verification` was given. */
export function routeOf(isOneCall: boolean, verifies: boolean): Route {
  if (!isOneCall) return 'import';
  return verifies ? 'one-call-verify' : 'one-call';
}

/**
 * Why an email is sent, or `none`.
 * - `init-unverified`, `init-no-secret`: the initialization email. The user starts in the initial state.
 * - `verify`: the verification email of a user who has a link to another provider, or was created in one call.
 * - `password-changed`: a later run replaces the hash, and the organization sends an email then.
 */
export const emailKinds = [
  'none',
  'init-unverified',
  'init-no-secret',
  'verify',
  'password-changed',
] as const;
export type EmailKind = (typeof emailKinds)[number];

export const emailCauses: Readonly<Record<EmailKind, string>> = {
  none: 'no email',
  'init-unverified': 'initialization email: the email address is not verified',
  'init-no-secret':
    'initialization email: no password is imported, so the verified address arrives unverified',
  verify: 'verification email: the address is not verified, and there is a link or --send-verification',
  'password-changed': 'password changed email: the hash has changed, and the organization sends this email',
};

export const smsCause = 'SMS with a code: the phone is not verified (if the service sends SMS)';

interface MessageFacts {
  /** Whether the record has a link to an identity provider. */
  readonly linked: boolean;
  readonly emailVerified: boolean;
  /** Whether there is a password, its hash, or a request for a passkey. */
  readonly hasSecret: boolean;
  readonly hasPhone: boolean;
  readonly phoneVerified: boolean;
}

export interface Messages {
  readonly email: EmailKind;
  readonly sms: boolean;
}

/**
 * Returns the email that the service sends. A link avoids the initialization email, and so do a verified address and a
 * secret together.
 */
export function emailAtImport(linked: boolean, emailVerified: boolean, hasSecret: boolean): EmailKind {
  if (linked) return emailVerified ? 'none' : 'verify';
  if (!emailVerified) return 'init-unverified';
  return hasSecret ? 'none' : 'init-no-secret';
}

/**
 * Returns what creating the user sends. No other call of an import sends anything: neither metadata, links and the
 * state, nor any other entry.
 */
export function messagesAtImport(facts: MessageFacts): Messages {
  return {
    email: emailAtImport(facts.linked, facts.emailVerified, facts.hasSecret),
    sms: facts.hasPhone && !facts.phoneVerified,
  };
}

export function messagesOf(user: UserRecord, route: Route): Messages {
  if (route !== 'import') {
    return { email: route === 'one-call-verify' && !user.emailVerified ? 'verify' : 'none', sms: false };
  }
  return messagesAtImport({
    linked: user.links.length > 0,
    emailVerified: user.emailVerified,
    hasSecret: user.passwordHash !== '' || user.plainPassword !== '' || user.requestsPasskey === true,
    hasPhone: user.phone !== '',
    phoneVerified: user.phoneVerified,
  });
}

/**
 * Returns what changing an existing user sends: at most an email about a new password, and only to a verified address.
 * `orgSends` says whether the organization sends such emails, undefined if the token may not know.
 */
export function messagesOfChange(isNewPassword: boolean, orgSends: boolean | undefined): Messages {
  return { email: isNewPassword && orgSends !== false ? 'password-changed' : 'none', sms: false };
}

/** Number of messages that an import sends. */
export type MessageCounts = ReturnType<typeof noMessageCounts>;

export const noMessageCounts = () => ({
  /** Emails by kind, without `none`. */
  emails: new Map() as Counts,
  sms: 0,
  /** Number of users by how they can sign in (`records/sign-in.ts`). */
  signIn: new Map() as Counts,
});

export function countMessages(counts: MessageCounts, { email, sms }: Messages, users = 1) {
  if (email !== 'none') count(counts.emails, email, users);
  if (sms) counts.sms += users;
}

/** What happens to unverified phone numbers, to which the service would send an SMS (`--phone`). */
export type PhoneRule = 'keep' | 'assume-verified' | 'drop';

export function applyPhoneRule(user: UserRecord, rule: PhoneRule) {
  if (rule === 'keep' || user.phone === '' || user.phoneVerified) return;
  if (rule === 'assume-verified') {
    user.phoneVerified = true;
    return;
  }
  user.phone = '';
  user.notes.push({ code: 'phone:left-out' });
}
