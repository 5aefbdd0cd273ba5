/** Counts of what a run has done, and kinds of lost data, for the summary, the report and the events. */
import { flattenString } from '../lib/strings.ts';
import type { ReasonCode } from './reasons.ts';

/** Kinds under which a loss is reported, as words for users. A code that is not listed means no loss. */
export const lossKinds: readonly (readonly [kind: string, codes: readonly ReasonCode[]])[] = [
  ['roles', ['role:not-migrated']],
  ['groups', ['group:not-migrated']],
  ['further organizations', ['org:further']],
  ['roles in organizations', ['org:role-not-migrated']],
  ['further addresses and numbers', ['contact:not-migrated']],
  ['required actions', ['required-action:not-migrated']],
  ['consents', ['consent:not-migrated']],
  ['passkeys and security keys', ['mfa:webauthn']],
  ['recovery codes', ['mfa:recovery-codes']],
  ['other second factors', ['mfa:other']],
  [
    'one-time passwords',
    [
      'otp:hotp',
      'otp:parameters',
      'otp:extra',
      'otp:malformed',
      'otp:not-exported',
      'otp:encrypted',
      'otp:no-id',
    ],
  ],
  ['linked logins', ['idp:unmapped-alias', 'idp:missing-id']],
  ['custom attributes', ['attribute:not-migrated', 'attribute:dropped']],
  ['phone numbers', ['phone:dropped', 'phone:left-out']],
  ['languages', ['language:dropped']],
  ['former passwords', ['password:history']],
  ['further passwords', ['password:extra']],
  ['marks of temporary passwords', ['password:temporary']],
];

const kindByCode = new Map(lossKinds.flatMap(([kind, codes]) => codes.map((code) => [code, kind])));

/** A count per name. It is a Map so that a name from an input cannot touch a prototype. */
export type Counts = Map<string, number>;

export function count<Name>(counts: Map<Name, number>, name: Name, by = 1) {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

export function sumOf(counts: Counts) {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Password hashes that the target would refuse, grouped by what can be done about them. */
interface Refusal {
  readonly algorithm: string;
  readonly code: ReasonCode;
  /** Why the target refuses them, with numbers: `memory 7168 KiB is below the minimum of 8192 KiB`. */
  readonly problem: string;
  /** The setting to change in the target, ready to copy, or else what the users have to do. */
  readonly remedy: string;
  count: number;
}

/** The refused hash of one user. */
export interface HashRefusal extends Omit<Refusal, 'count'> {
  /** Whether the hash is still written. */
  readonly kept?: boolean;
}

/** Refusals by algorithm, code and problem. */
export type Refusals = Map<string, Refusal>;

export function countRefusal(refusals: Refusals, refusal: Omit<Refusal, 'count'>, by = 1) {
  const key = `${refusal.algorithm}\n${refusal.code}\n${refusal.problem}`;
  const known = refusals.get(key);
  if (known) known.count += by;
  else refusals.set(key, { ...refusal, count: by });
}

/** Returns what the notes of one user count as: each code and each alias once. */
export function codesOf(notes: readonly { readonly code: ReasonCode; readonly detail?: string }[]) {
  const codes = [...new Set(notes.map(({ code }) => code))];
  const unmapped = notes.filter(({ code }) => code === 'idp:unmapped-alias');
  return { codes, aliases: [...new Set(unmapped.map(({ detail = '' }) => flattenString(detail)))] };
}

/** Number of aliases that are counted by name, because an input could have any number of them. */
const maxAliases = 1000;

/** What a run counts about a written user. Many users have the same traits. */
export interface Traits extends Readonly<ReturnType<typeof codesOf>> {
  readonly machine: boolean;
  readonly inactive: boolean;
  /** Algorithm of the written hash, or `none`. */
  readonly algorithm: string;
  /** Whether the source has the password in plain text. */
  readonly plain: boolean;
  readonly otp: boolean;
  readonly linked: boolean;
  readonly refusal: HashRefusal | undefined;
}

/** Counts users with the same traits. Users read, ways to sign in and messages are counted elsewhere. */
export function countWritten(tally: Tally, traits: Traits, users = 1) {
  tally[traits.codes.length > 0 ? 'withNotes' : 'written'] += users;
  if (traits.inactive) tally.inactive += users;
  if (traits.machine) tally.machines += users;
  else count(tally.passwords, traits.algorithm, users);
  if (traits.plain) tally.plain += users;
  if (traits.otp) tally.otp += users;
  if (traits.linked) tally.links += users;
  if (traits.refusal !== undefined) {
    const { kept, ...refusal } = traits.refusal;
    countRefusal(tally.refusals, refusal, users);
    if (!kept) count(tally.dropped, refusal.algorithm, users);
  }
  countNotes(tally, traits, users);
}

function countNotes(tally: Tally, { codes, aliases }: Traits, users: number) {
  const kinds = new Set<string>();
  for (const code of codes) {
    count(tally.reasons, code, users);
    const kind = kindByCode.get(code);
    if (kind === undefined) continue;
    if (kinds.has(kind)) count(tally.repeats, kind, users);
    kinds.add(kind);
  }
  for (const alias of aliases) {
    const isNew = !tally.aliases.has(alias);
    count(tally.aliases, isNew && tally.aliases.size >= maxAliases ? 'others' : alias, users);
  }
}

/** Outcomes of the entries of a list: `read = written + rejected + skipped`. */
export interface EntryTally {
  read: number;
  written: number;
  rejected: number;
  /** Entries that were at the target before this run. */
  skipped: number;
}

/** Returns the counts of a list of a body that does not hold users. */
export function entryTally({ others }: Tally, list: string) {
  const counts = others.get(list) ?? { read: 0, written: 0, rejected: 0, skipped: 0 };
  others.set(list, counts);
  return counts;
}

/** Returns how many users and entries of other lists are done, whatever their outcome. */
export const countEnded = (tally: Tally) => countAll(tally, 'read');

export const countRejected = (tally: Tally) => countAll(tally, 'rejected');

const countAll = (tally: Tally, key: 'read' | 'rejected') =>
  [...tally.others.values()].reduce((sum, list) => sum + list[key], tally[key]);

/** `read = written + withNotes + rejected + skipped`, which `flows/` checks at the end of a run. */
export type Tally = ReturnType<typeof emptyTally>;

export function emptyTally() {
  const counts = (): Counts => new Map();
  return {
    read: 0,
    /** Written without a note. */
    written: 0,
    /** Written with at least one note. */
    withNotes: 0,
    rejected: 0,
    /** Left out because the run was asked to. */
    skipped: 0,
    /** Service accounts among those written. */
    machines: 0,
    /** Written password hashes by algorithm. `none` counts users without a hash. */
    passwords: counts(),
    /** Passwords among them that the source has in plain text. */
    plain: 0,
    /** Password hashes of users who are written without them, by algorithm. */
    dropped: counts(),
    /** Users by how they can sign in (`records/sign-in.ts`). */
    signIn: counts(),
    /** Password hashes that the target would refuse: not written, or written nevertheless. */
    refusals: new Map() as Refusals,
    /** Users by reason code. */
    reasons: counts(),
    /** Users by alias of an identity provider of the source without a counterpart at the target. */
    aliases: counts(),
    /** Further codes of the same kind of loss (`lossKinds`) for one user, who must not be counted twice. */
    repeats: counts(),
    /** Emails that the import would send, by kind (`records/messages.ts`). */
    emails: counts(),
    sms: 0,
    otp: 0,
    links: 0,
    metadata: 0,
    inactive: 0,
    /** Entries of lists without users, by list. Only a bulk import has them. */
    others: new Map<string, EntryTally>(),
  };
}

/** Reports whether all records, if any, were skipped as service accounts or as records of federated storage. */
export function isWithoutUsers({ read, reasons }: Tally) {
  const others = ['user-skipped:service-account', 'user-skipped:federated-storage'] as const;
  return read === others.reduce((sum, code: ReasonCode) => sum + (reasons.get(code) ?? 0), 0);
}
