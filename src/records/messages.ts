/**
 * Who gets an email: which messages the service sends a user at import, by the way the user is created or changed. All imports,
 * forecasts, lists of recipients and the reference server ask here; `flows/messages/gate.ts` stops an import that would send
 * more than allowed.
 */
import { count, type Counts } from './tally.ts';
import type { UserRecord } from './user.ts';

/**
 * How users are created. `one-call`: by CreateUser, which sends nothing; `one-call-verify`: the same, and the service is
 * asked to have unverified addresses verified; `import`: by `_import` of version 1 or in bulk, which send by the same rule.
 */
export type Route = 'one-call' | 'one-call-verify' | 'import';

/** `isOneCall`: by CreateUser; `verifies`: `--send-verification` was given. */
export function routeOf(isOneCall: boolean, verifies: boolean): Route {
  if (!isOneCall) return 'import';
  return verifies ? 'one-call-verify' : 'one-call';
}

/**
 * Why an email is sent, or `none`.
 * - `init-unverified`, `init-no-secret`: the initialization email; the user starts in the initial state.
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

/** What decides about the messages. */
export interface MessageFacts {
  /** To an identity provider, inside the record. */
  readonly linked: boolean;
  readonly emailVerified: boolean;
  /** A password, its hash, or a request for a passkey. */
  readonly hasSecret: boolean;
  readonly hasPhone: boolean;
  readonly phoneVerified: boolean;
}

export interface Messages {
  readonly email: EmailKind;
  readonly sms: boolean;
}

/** Rule of the service: a link spares the initialization email; otherwise a verified address and a secret do. */
export function emailAtImport(linked: boolean, emailVerified: boolean, hasSecret: boolean): EmailKind {
  if (linked) return emailVerified ? 'none' : 'verify';
  if (!emailVerified) return 'init-unverified';
  return hasSecret ? 'none' : 'init-no-secret';
}

/**
 * What creating the user sends. No other call of an import sends anything: not those for metadata, links and the state,
 * and not the import of any other entry.
 */
export function messagesAtImport(facts: MessageFacts): Messages {
  return {
    email: emailAtImport(facts.linked, facts.emailVerified, facts.hasSecret),
    sms: facts.hasPhone && !facts.phoneVerified,
  };
}

export function messagesOf(
  user: Pick<
    UserRecord,
    | 'links'
    | 'emailVerified'
    | 'passwordHash'
    | 'plainPassword'
    | 'requestsPasskey'
    | 'phone'
    | 'phoneVerified'
  >,
  route: Route,
): Messages {
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
 * What changing a user sends who was created by a run before: at most an email about a new password. The service sends it to
 * verified addresses alone. `orgSends`: whether the organization has it switched on, undefined where the token may not know.
 */
export function messagesOfChange(isNewPassword: boolean, orgSends: boolean | undefined): Messages {
  return { email: isNewPassword && orgSends !== false ? 'password-changed' : 'none', sms: false };
}

/** How many messages an import sends. */
export interface MessageCounts {
  /** Emails by kind, without `none`. */
  readonly emails: Counts;
  sms: number;
  /** The users, by how they can sign in (`records/sign-in.ts`). */
  readonly signIn: Counts;
}

export const noMessageCounts = (): MessageCounts => ({ emails: new Map(), sms: 0, signIn: new Map() });

export function countMessages(counts: MessageCounts, { email, sms }: Messages, users = 1) {
  if (email !== 'none') count(counts.emails, email, users);
  if (sms) counts.sms += users;
}

export function sumEmails({ emails }: Pick<MessageCounts, 'emails'>): number {
  return [...emails.values()].reduce((sum, count) => sum + count, 0);
}

/** What becomes of phone numbers that are not verified, to which the service would send an SMS: `--phone`. */
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
