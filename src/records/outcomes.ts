/** Outcomes of users in a comparison and in a rollback, with the same words wherever they are counted. */
import { formatCounted, formatSeconds } from '../lib/format.ts';
import { signInRows, type Row, type Section, type Tone } from './sections.ts';
import type { ToldSignIn } from './sign-in.ts';
import type { Origin } from './user.ts';

interface Outcome<Name extends string> {
  readonly name: Name;
  readonly text: string;
  /** Applies if the count is not zero. */
  readonly tone?: Tone;
  /** What to do. Empty if nothing is wrong. */
  readonly remedy: string;
  /** Whether a count of zero is left out. */
  readonly isRare?: boolean;
}

export type VerifyOutcome = 'same' | 'blocked' | 'missing' | 'differs' | 'extra' | 'unknown';

export const verifyOutcomes: readonly Outcome<VerifyOutcome>[] = [
  { name: 'same', text: 'same', tone: 'good', remedy: '' },
  {
    name: 'blocked',
    text: 'the same, but cannot sign in (initial, locked, deactivated)',
    tone: 'bad',
    remedy:
      'Users who cannot sign in: initial ones answer the email; unlock or reactivate those who are locked or deactivated.',
    isRare: true,
  },
  {
    name: 'missing',
    text: 'missing at the target',
    tone: 'bad',
    remedy:
      'For missing users, run the import again, with --resume if it was interrupted, and import its rejects file.',
  },
  {
    name: 'differs',
    text: 'different',
    tone: 'bad',
    remedy: 'Different users were changed since, or the import left something out: its report says what.',
  },
  {
    name: 'extra',
    text: 'only at the target',
    tone: 'bad',
    remedy: '--allow-extra accepts users who exist only at the target.',
  },
  {
    name: 'unknown',
    text: 'unknown',
    tone: 'bad',
    remedy:
      'Each line says why. For fields that the token may not read, use a token that may, or leave them out with --details=none.',
  },
];

/** Result for one user. */
export interface Compared {
  readonly outcome: VerifyOutcome;
  /** Place in the source. Absent for a user that is only at the target. */
  readonly place?: Origin | undefined;
  /** Id at the target. Empty if no user was found. */
  readonly targetId: string;
  readonly userName: string;
  /** Email address in the source, for `extra` at the target. Empty if there is no address. */
  readonly email: string;
  /** Names of the fields that differ, and of those that cannot be known. */
  readonly fields: readonly string[];
  readonly unknown: readonly string[];
  /** Why the record could not be imported, or what else explains the outcome. */
  readonly detail: string;
}

type UndoOutcome = 'deleted' | 'gone' | 'foreign' | 'changed' | 'refused';

export const undoOutcomes: readonly Outcome<UndoOutcome>[] = [
  { name: 'deleted', text: 'deleted', tone: 'good', remedy: '' },
  { name: 'gone', text: 'already deleted', remedy: '' },
  { name: 'foreign', text: 'another user has the name or id now: not deleted', remedy: '' },
  {
    name: 'changed',
    text: 'changed since the import: not deleted',
    tone: 'warning',
    remedy: 'Check the users that were changed; the same command with --changed=delete deletes them.',
  },
  {
    name: 'refused',
    text: 'refused by the service',
    tone: 'bad',
    remedy: 'Resolve what the service gave as the reason, then run the same command again.',
  },
];

type CountsOf<Name extends string> = Readonly<Record<Name, number>>;

export function outcomeRows<Name extends string>(
  outcomes: readonly Outcome<Name>[],
  counts: CountsOf<Name>,
): Row[] {
  return outcomes.flatMap(({ name, text, tone, isRare }) => {
    const count = counts[name];
    if (isRare && count === 0) return [];
    return { count, text, ...(tone !== undefined && count > 0 && { tone }) };
  });
}

/** Returns what to do about the outcomes that occurred. */
export function remediesOf<Name extends string>(outcomes: readonly Outcome<Name>[], counts: CountsOf<Name>) {
  return outcomes.flatMap(({ name, remedy }) => (counts[name] > 0 && remedy !== '' ? [remedy] : []));
}

/** Returns an outcome as the reason why a user is listed. */
export function outcomeReason(
  outcomes: readonly Outcome<string>[],
  outcome: string,
  detail: string,
): { readonly code: string; readonly detail: string; readonly remedy: string } {
  const { text = outcome, remedy = '' } = outcomes.find(({ name }) => name === outcome) ?? {};
  return { code: text, detail, remedy };
}

/**
 * Users by outcome. `blocked` are equal, but cannot sign in: active in the source and initial, locked or deactivated at the
 * target. `notYet` are those of `unknown` that are not yet in the service's list, which lags behind. `accounts` are service
 * accounts of the target, which are not compared.
 */
export type ComparedUsers = CountsOf<VerifyOutcome | 'notYet' | 'accounts'>;

/**
 * Each user whom the run created is in exactly one of the other counts. `gone` were deleted already. These stay: `foreign`, because
 * another user has the name or the id now; `changed`, because they changed since the run; `refused`, because the service refused.
 */
export type UndoneUsers = CountsOf<UndoOutcome | 'created'>;

export interface VerifyResult {
  readonly users: ComparedUsers;
  /** How users can sign in at the target, if known. */
  readonly signIn: readonly ToldSignIn[];
  /** Number of users by the field that differs, and by the field that cannot be compared. */
  readonly fields: Readonly<Record<string, number>>;
  readonly unknownFields: Readonly<Record<string, number>>;
  readonly logins: { readonly tried: number; readonly succeeded: number };
  readonly requests: number;
  readonly seconds: number;
}

export function verifySections({
  users,
  signIn,
  fields,
  unknownFields,
  logins,
  ...run
}: VerifyResult): Section[] {
  const byCount = (counts: Readonly<Record<string, number>>): Row[] =>
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([text, count]) => ({ text, count }));
  const { same, blocked, missing, differs, unknown, accounts } = users;
  const compared = formatCounted(same + blocked + missing + differs + unknown, 'user');
  const failed = logins.tried - logins.succeeded;
  const loggedIn: Row[] = logins.tried === 0 ? [] : [{ count: logins.succeeded, text: 'logged in' }];
  if (failed > 0) loggedIn.push({ count: failed, text: 'could not log in', tone: 'bad' });
  const ignored = {
    count: accounts,
    text: `service account${accounts === 1 ? '' : 's'} of the target, ignored`,
  };
  return [
    { title: 'Who can sign in', rows: signInRows(signIn) },
    {
      title: `${compared} compared in ${formatSeconds(run.seconds)}, ${formatCounted(run.requests, 'request')}`,
      rows: [...outcomeRows(verifyOutcomes, users), ...(accounts > 0 ? [ignored] : [])],
    },
    { title: 'Fields that differ (users)', tone: 'bad', rows: byCount(fields) },
    { title: 'Fields that cannot be compared (users)', tone: 'warning', rows: byCount(unknownFields) },
    { title: 'Logins', rows: loggedIn },
  ];
}

export function undoSection(users: UndoneUsers, time: string): Section {
  const title = `Rollback of ${formatCounted(users.created, 'user')} in ${time}`;
  return { title, rows: outcomeRows(undoOutcomes, users) };
}

/** Result of the login of a test user. Never contains the password. */
export interface TriedLogin {
  readonly userName: string;
  readonly succeeded: boolean;
  readonly detail: string;
}
