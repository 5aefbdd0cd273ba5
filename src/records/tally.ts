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

export function countRefusal(
  refusals: Refusals,
  { algorithm, code, problem, remedy }: Omit<Refusal, 'count'>,
  by = 1,
) {
  const key = `${algorithm}\n${code}\n${problem}`;
  const known = refusals.get(key) ?? { algorithm, code, problem, remedy, count: 0 };
  known.count += by;
  if (known.count === 0) refusals.delete(key);
  else refusals.set(key, known);
}

type Notes = readonly { readonly code: ReasonCode; readonly detail?: string }[];

/** Returns each code of one user once. */
export const codesOf = (notes: Notes) => new Set(notes.map(({ code }) => code));

/** Number of aliases that are counted by name, because an input could have any number of them. */
const maxAliases = 1000;

/** What a run counts about a written user, besides its notes. */
export interface Traits {
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

/** Counts a written user. Users read, ways to sign in and messages are counted elsewhere. */
export function countWritten(tally: Tally, traits: Traits, notes: Notes) {
  tally[notes.length > 0 ? 'withNotes' : 'written'] += 1;
  if (traits.inactive) tally.inactive += 1;
  if (traits.machine) tally.machines += 1;
  else count(tally.passwords, traits.algorithm);
  if (traits.plain) tally.plain += 1;
  if (traits.otp) tally.otp += 1;
  if (traits.linked) tally.links += 1;
  const { refusal } = traits;
  if (refusal !== undefined) {
    countRefusal(tally.refusals, refusal);
    if (refusal.kept !== true) count(tally.dropped, refusal.algorithm);
  }
  if (notes.length > 0) countNotes(tally, notes);
}

/** Counts each code once, and each alias. */
function countNotes(tally: Tally, notes: Notes) {
  const seen = new Set<string>();
  const isNew = (text: string) => !seen.has(text) && seen.add(text);
  for (const { code, detail = '' } of notes) {
    if (code === 'idp:unmapped-alias' && isNew(`alias ${detail}`))
      countAlias(tally, flattenString(detail), 1);
    if (!isNew(code)) continue;
    count(tally.reasons, code);
    const kind = kindByCode.get(code);
    if (kind !== undefined && !isNew(kind)) count(tally.repeats, kind);
  }
}

function countAlias({ aliases }: Tally, alias: string, users: number) {
  count(aliases, !aliases.has(alias) && aliases.size >= maxAliases ? 'others' : alias, users);
}

/** Adds the counts of a part of a run, or with a `sign` of -1 takes them away. */
export function addTally(tally: Tally, { refusals, aliases, ...counts }: Tally, sign = 1) {
  addCounts(tally as Omit<Tally, 'refusals' | 'aliases'>, counts, sign);
  for (const refusal of refusals.values()) countRefusal(tally.refusals, refusal, sign * refusal.count);
  for (const [alias, users] of aliases) countAlias(tally, alias, sign * users);
}

/** Adds numbers and maps of numbers to those of the same name. Names without a count are removed. */
export function addCounts<Added extends object>(to: Added, from: Added, sign = 1) {
  for (const [name, value] of Object.entries(from)) {
    const known: unknown = to[name as keyof Added];
    if (typeof value === 'number') Object.assign(to, { [name]: Number(known) + sign * value });
    else if (known instanceof Map) addNamed(known, value, sign);
    else addCounts(known as object, value as object, sign);
  }
}

function addNamed(to: Counts, from: Counts, sign: number) {
  for (const [name, users] of from) {
    count(to, name, sign * users);
    if (to.get(name) === 0) to.delete(name);
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
