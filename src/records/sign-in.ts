/** Who can sign in after an import, and how: the first numbers of every summary. */
import { formatCount, formatCounted } from '../lib/format.ts';
import type { Messages, Route } from './messages.ts';
import { isPlaceholder } from './placeholder-password.ts';
import type { Counts } from './tally.ts';
import type { Note, UserRecord } from './user.ts';

/** The kinds in the order in which they are shown: words that follow a number of users, and what helps. */
const kinds = {
  password: ['can sign in right away with their old password', ''],
  'own-password': ['can sign in with a password that was set after the import', ''],
  'first-login': [
    'can sign in through idport jit at their first login',
    'Run `idport jit serve` before these users log in.',
  ],
  'old-system': [
    'have no password hash: they can sign in at their first login if idport jit can check their old password',
    'Give `idport jit serve` a verifier that asks the old system. Users whose old password it cannot check have to set one. Counts of a body have the users of `--jit-list` here, too: the body does not name them.',
  ],
  placeholder: [
    'have a placeholder password: they can sign in at their first login if idport jit can check their old password',
    'Run `idport jit serve` before these users log in; `idport jit remaining` lists who has not yet. The body does not show whose old password can be checked; the report of the conversion does.',
  ],
  provider: [
    'sign in with their identity provider: the login pages never ask for a password',
    'Connect the provider before the cutover. To let them use the old password, leave the link out.',
  ],
  'several-links': [
    'have several linked logins: the login page stops after the user name',
    'Ask them to start with the button of a provider, or migrate only one link: name its alias with `--idp`.',
  ],
  'answer-email': [
    'cannot sign in until they answer an email',
    '`idport import-users` sends no email where the service knows CreateUser: users with a password can sign in at once, the others set one.',
  ],
  'only-bulk': [
    'are rejected by import-users: recovery codes, a hash of over 200 characters, a TOTP secret that is not base32, or an email address that CreateUser refuses',
    'Import these with `idport import`.',
  ],
  'set-password': [
    'have to set a password',
    'Ask them to reset it, or import the linked logins that they use. A password that the old system knows can be checked at the first login (`idport jit`).',
  ],
  'locked-out': [
    'have no password, no email address and no link',
    'Give them an address at the source. A body does not show that `--email-fallback` made an address up, so counts of a body have these users among those who have to set a password.',
  ],
  'refused-hash': [
    'have a password hash that the target refuses',
    'Change the settings of the target that the summary names.',
  ],
  'not-known': [
    'may be able to sign in: it is not known which password they have',
    'Try some with `idport verify --login-sample`, or compare with the body that was imported.',
  ],
  disabled: ['are disabled or locked', 'Nothing to do.'],
  missing: ['are missing at the target', 'Run the import again, unless it was rolled back.'],
} as const satisfies Readonly<Record<string, readonly [words: string, remedy: string]>>;

/** Codes of users that import-users rejects and the bulk import accepts. */
export const onlyBulkCodes = new Set(['single:recovery-codes', 'single:long-hash', 'single:email']);

export type SignInKind = keyof typeof kinds;
export const signInKinds = Object.keys(kinds) as readonly SignInKind[];

/** Returns an empty string for a kind that only another version knows. */
export const signInRemedy = (kind: string): string => (kind in kinds ? kinds[kind as SignInKind][1] : '');
export const signInText = (kind: SignInKind): string => kinds[kind][0];
export const explainSignIn = (kind: SignInKind) => `They ${kinds[kind][0]}. ${kinds[kind][1]}`;

export interface SignInFacts {
  /** Set if the user is on the list of `idport jit`: true if it can check the form of the password hash. */
  readonly listed: boolean | undefined;
  /** Whether login-time migration is used: `idport jit` expects users without a password. */
  readonly jit: boolean;
  /** Whether the target refuses the hash, which is written nevertheless. */
  readonly refused: boolean;
}

/** What decides how a user signs in. Of the links, only their number matters. */
export interface SigningIn extends Pick<
  UserRecord,
  'state' | 'passwordHash' | 'plainPassword' | 'requestsPasskey'
> {
  readonly links: { readonly length: number };
  readonly notes: readonly Note[];
}

/** Reports whether the source says that it has no password for the user. */
export const neverHadPassword = (notes: readonly Note[]) =>
  notes.some(({ code }) => code === 'password:never');

/**
 * Returns the kind for a record as CreateUser writes it. Login V2 sends a user with one link to the provider, and stops
 * at several links.
 */
export function signInKind(user: SigningIn, { listed, jit, refused }: SignInFacts): SignInKind {
  const { state, links, passwordHash, plainPassword, requestsPasskey = false, notes } = user;
  if (state !== 'active') return 'disabled';
  if (links.length > 1) return 'several-links';
  if (links.length === 1) return 'provider';
  const hasPassword = passwordHash + plainPassword !== '';
  if (listed !== undefined) return listed ? 'first-login' : 'old-system';
  // A body does not contain the list of the conversion that wrote it.
  if (isPlaceholder(passwordHash)) return 'placeholder';
  if (!hasPassword) {
    if (jit && !requestsPasskey && !neverHadPassword(notes)) return 'old-system';
    return notes.some(({ code }) => code === 'email:placeholder') ? 'locked-out' : 'set-password';
  }
  return refused ? 'refused-hash' : 'password';
}

/** What is known about a user before a route is chosen. */
export interface Prospects {
  /** Result of `signInKind`. */
  readonly signIn: SignInKind;
  /** Messages that `_import` and the bulk import send. */
  readonly messages: Messages;
  /** Whether only the bulk import accepts the user. */
  readonly onlyBulk: boolean;
}

/**
 * Returns the kind for a route. `_import` and the bulk import leave users who get the initialization email in the
 * initial state.
 */
export function signInBy(route: Route, { signIn, messages, onlyBulk }: Prospects): SignInKind {
  if (route !== 'import') return onlyBulk ? 'only-bulk' : signIn;
  return messages.email.startsWith('init-') && signIn !== 'disabled' ? 'answer-email' : signIn;
}

/** What a comparison found at the target. */
interface SignInFound {
  readonly state: 'as expected' | 'initial' | 'not active';
  readonly password: 'set' | 'none' | 'not known';
  /**
   * Whether the password was set after the creation, so that it is no placeholder. `idport jit` decides in the same
   * way.
   */
  readonly isChanged: boolean;
  /** Whether it is unknown if the import wrote the source's hash or a placeholder. */
  readonly mayBePlaceholder: boolean;
}

/** Returns what is true for a user at the target, whatever the source says. */
export function signInAt(
  kind: SignInKind,
  { state, password, isChanged, mayBePlaceholder }: SignInFound,
): SignInKind {
  if (state !== 'as expected') return state === 'initial' ? 'answer-email' : 'disabled';
  const isByPassword = kind === 'password' || kind === 'refused-hash';
  if (isByPassword && password !== 'set') return password === 'none' ? 'set-password' : 'not-known';
  // The service can verify every hash that it has accepted.
  if (isByPassword && !mayBePlaceholder) return 'password';
  const mayHaveNone = isByPassword || withoutHash.has(kind);
  if (isChanged && (mayHaveNone || atFirstLogin.has(kind))) return 'own-password';
  // As old as the user, and not from the source: perhaps the placeholder of an import with --jit.
  return mayHaveNone && password === 'set' ? 'not-known' : kind;
}

const withoutHash: ReadonlySet<SignInKind> = new Set(['set-password', 'locked-out']);

export interface SignInCount {
  readonly kind: SignInKind;
  readonly count: number;
  readonly meaning: string;
}

/** A count as a report has it. The report may be from another version. */
export interface ToldSignIn extends Omit<SignInCount, 'kind'> {
  readonly kind: string;
}

/**
 * Returns the counts. Users who sign in with their old password come first, even if there are none. Other kinds are
 * only included if they have users.
 */
export function countSignIn(counts: Counts): SignInCount[] {
  return signInKinds
    .map((kind) => ({ kind, count: counts.get(kind) ?? 0, meaning: kinds[kind][0] }))
    .filter(({ kind, count }) => count > 0 || (kind === 'password' && counts.size > 0));
}

const atFirstLogin: ReadonlySet<string> = new Set<SignInKind>(['first-login', 'old-system', 'placeholder']);

/**
 * Returns the number of users who can only sign in while a receiver of `idport jit` runs, as far as it can check their
 * passwords.
 */
export const countAtFirstLogin = (counts: readonly ToldSignIn[]) =>
  counts.reduce((sum, { kind, count }) => sum + (atFirstLogin.has(kind) ? count : 0), 0);

/**
 * Returns at most one sentence about the service's own email about a changed password. No import sends it and no limit
 * counts it.
 */
export function emailsAtFirstLogin(counts: readonly ToldSignIn[]) {
  const users = countAtFirstLogin(counts);
  if (users === 0) return [];
  const emails = formatCounted(users, 'email');
  return [
    `At first logins, the service may send up to ${emails} about changed passwords. idport jit setup --mute-org=all switches them off.`,
  ];
}

const singular: Readonly<Record<string, string>> = { sign: 'signs', have: 'has', are: 'is' };
/** Returns the words about several users, changed to be about one. */
export const ofOne = (words: string) => words.replace(/^(?:sign|have|are)\b/, (plural) => singular[plural]!);

export function signInLines(counts: readonly ToldSignIn[]) {
  const all = counts.reduce((sum, { count }) => sum + count, 0);
  return counts.map(({ kind, count, meaning }) => {
    const of = kind === 'password' ? ` of ${formatCount(all)}` : '';
    return `${formatCount(count)}${of} ${count === 1 ? ofOne(meaning) : meaning}`;
  });
}
