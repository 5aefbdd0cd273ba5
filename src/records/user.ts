/** The user record. Every source reads into it with the functions here, and every target or rejects file is written from it. */
import type { SourceForm } from './hash-forms/form.ts';
import type { ReasonCode } from './reasons.ts';
import { createHash } from 'node:crypto';
import { fieldRules, fits, metadataValueBytes } from '../lib/field-rules.ts';
import { cut, onOneLine, sanitize, trimBlanks } from './text.ts';

/** Where a record came from. It is kept with the record, so that no later step needs the source. */
export interface Origin {
  /** The input's name as the user gave it: a path, or `-`. */
  readonly input: string;
  /** Position of the record in its input, from 0. Messages count from 1. */
  readonly index: number;
  /** Id in the source, or else its user name. Empty if it has neither. */
  readonly id: string;
}

export type UserState = 'active' | 'inactive' | 'locked';
export type Gender = 'unspecified' | 'female' | 'male' | 'diverse';

/** A login at another identity provider. */
export interface IdpLink {
  /** Id of the provider's configuration in the target. */
  configId: string;
  /** The user's id at that provider. */
  readonly externalUserId: string;
  readonly displayName: string;
}

export interface MetadataEntry {
  readonly key: string;
  /** Plain text. Empty if the value is not text. */
  readonly value: string;
  /** Value from an import body, which may contain any bytes. */
  readonly base64?: string;
}

/** Something that a reader of the report should know about a record that was written. */
export interface Note {
  readonly code: ReasonCode;
  /** Names and numbers that explain the case. Never a secret. */
  readonly detail?: string;
}

/** Membership of a user in an organization of the source. */
export interface Membership {
  /** One of the organization's keys. */
  readonly key: string;
  /** Names at the source, without the part that names the organization: `admin`. */
  readonly roles: readonly string[];
}

/** Common fields of users and service accounts. */
interface AnyRecord {
  origin: Origin;
  /** Organization of the user, if not all users of the run have the same. */
  orgId?: string;
  /** The organization and a line feed if the user name must be unique in it. Without it, it must be unique in all. */
  names?: string | undefined;
  /** Set for an import body: projects and their roles, as a text that is the same in another body. */
  grants?: string;
  /** Organizations that the source names for the user. Undefined if it names none. */
  organizations?: readonly Membership[] | undefined;
  metadata: MetadataEntry[];
  notes: Note[];
}

/**
 * A user, from the reader of a source to the bytes of the body: one object, which every step completes or changes.
 * Missing texts are empty strings and missing lists are empty, so nothing downstream has to check for them.
 */
export interface UserRecord extends AnyRecord {
  readonly kind: 'human';
  /** The id to keep. Empty if the target generates one. */
  id: string;
  userName: string;
  givenName: string;
  familyName: string;
  /** Source of the given and family names if the source has none. */
  fullName: string;
  nickName: string;
  displayName: string;
  /** BCP 47, at most 10 characters. */
  language: string;
  gender: Gender;
  email: string;
  emailVerified: boolean;
  /** E.164, with the plus sign. */
  phone: string;
  /** ISO 3166 country of a number without a prefix, if the record names one. */
  phoneRegion?: string;
  phoneVerified: boolean;
  /** Modular crypt format. Secret. */
  passwordHash: string;
  /** Further hashes of the same password, for a target that refuses the first. Secret. */
  otherHashes?: readonly string[] | undefined;
  /** Only set for an import body: asks the service for a link to set up a passkey. */
  requestsPasskey?: boolean;
  /**
   * A password that the source has in plain text. Secret. It is hashed before the record is written, and never written
   * itself.
   */
  plainPassword: string;
  /** How the source stored a password for which no hash can be written. Secret. */
  sourceForm?: SourceForm | undefined;
  /** Base32 without padding, for SHA-1, 6 digits, 30 seconds. Secret. */
  otpSecret: string;
  /** Modular crypt format. Secret. */
  recoveryCodeHashes: readonly string[];
  /** In plain text, for sources that store them like that. Secret. Only a bulk import accepts recovery codes. */
  recoveryCodes: readonly string[];
  /** Role names. Only set for sources whose mapping names a field for them. */
  roles?: readonly string[] | undefined;
  links: IdpLink[];
  state: UserState;
  /** Set for an import body: the user is active, but has never answered the first email. */
  isInitial?: boolean;
}

/** Reports whether the source has the password in plain text, even if it has been hashed since. */
export function isPlain({ passwordHash, plainPassword, notes }: UserRecord) {
  const isHashed = notes.some(({ code }) => code === 'password:plaintext-hashed');
  return isHashed || (plainPassword !== '' && passwordHash === '');
}

/** A service account. */
export interface MachineRecord extends AnyRecord {
  readonly kind: 'machine';
  readonly id: string;
  readonly userName: string;
  readonly name: string;
  readonly description: string;
  readonly state: UserState;
}

/** A record that will not be written, and why. The outcome of `code` is `rejected` or `skipped`. */
export interface Rejected {
  readonly kind: 'rejected';
  readonly origin: Origin;
  /** Set if known. */
  readonly orgId?: string | undefined;
  /** User name and email, as far as they could be read. Otherwise empty. */
  readonly userName: string;
  readonly email: string;
  readonly code: ReasonCode;
  readonly detail: string;
}

/** A user who can be imported. */
export type AcceptedRecord = UserRecord | MachineRecord;

/** What a reader returns for one record of a source. */
export type ReadResult = AcceptedRecord | Rejected;

/** What replaces a missing name. `skip` leaves the user out. */
export const nameFallbacks = ['username', 'email-local', 'dash', 'full-name', 'skip'] as const;
export type NameFallback = (typeof nameFallbacks)[number];

/** Which data of a user is carried, and how. The same for every provider. */
export interface UserOptions {
  readonly nameFallback: NameFallback;
  /**
   * What a user without an email gets: nothing (the user is rejected), the user name if it is an address, or a
   * placeholder.
   */
  readonly emailFallback: 'skip' | 'username' | 'placeholder';
  /** Domain of placeholder addresses. */
  readonly placeholderDomain: string;
  /** Whether addresses are verified. If undefined, the source decides for each. */
  readonly emailVerified: boolean | undefined;
  /** ISO 3166 country of phone numbers without a prefix. */
  readonly defaultRegion: string | undefined;
  readonly disabled: 'keep' | 'skip' | 'active';
  readonly metadata: 'none' | 'attributes' | 'all';
  /** Maps the source's name of an identity provider to the id of its configuration in the target. */
  readonly idps: Readonly<Record<string, string>>;
}

/** Returns a user about whom nothing is known yet. */
export function startUser(origin: Origin): UserRecord {
  return {
    kind: 'human',
    origin,
    id: '',
    userName: '',
    givenName: '',
    familyName: '',
    fullName: '',
    nickName: '',
    displayName: '',
    language: '',
    gender: 'unspecified',
    email: '',
    emailVerified: false,
    phone: '',
    phoneRegion: '',
    phoneVerified: false,
    passwordHash: '',
    otherHashes: undefined,
    plainPassword: '',
    sourceForm: undefined,
    otpSecret: '',
    recoveryCodeHashes: [],
    recoveryCodes: [],
    roles: undefined,
    links: [],
    state: 'active',
    organizations: undefined,
    metadata: [],
    notes: [],
  };
}

export function addNote(draft: UserRecord, code: ReasonCode, detail?: string) {
  draft.notes.push(detail === undefined ? { code } : { code, detail });
}

/** Begins what a deployment fills in, with a name in it: `${PASSWORD}`, `$(env:PASSWORD)`, `{{ password }}`. */
export const variable = /\$[({][\w.-]+[)}:]|\{\{/;

/** Takes a password in plain text, unless a variable stands for it, whose name would be the password. */
export function addPlain(draft: UserRecord, text: string, rule: 'hash' | 'skip') {
  if (text.search(variable) === 0 && /[)}]$/.test(text))
    return addNote(draft, 'password:malformed', 'a variable stands for the password');
  if (rule === 'skip') return addNote(draft, 'password:plaintext-skipped');
  draft.plainPassword = text;
  return addNote(draft, 'password:plaintext-hashed');
}

/** Adds a link if `--idp` names the counterpart, and a note otherwise. */
export function addLink(
  draft: UserRecord,
  options: UserOptions,
  alias: string,
  externalUserId: string,
  displayName: string,
) {
  const configId = Object.hasOwn(options.idps, alias) ? options.idps[alias] : undefined;
  if (externalUserId === '' || alias === '') addNote(draft, 'idp:missing-id', alias || 'no provider');
  else if (configId === undefined) addNote(draft, 'idp:unmapped-alias', alias);
  else if (!fits(fieldRules.idpExternalUserId, externalUserId))
    addNote(draft, 'idp:missing-id', `${alias}: id too long`);
  else if (sanitize(externalUserId) !== externalUserId)
    addNote(draft, 'idp:missing-id', `${alias}: id holds NUL or a lone surrogate`);
  else
    draft.links.push({
      configId,
      externalUserId,
      displayName: optionalName(draft, 'name at an identity provider', displayName),
    });
}

/** Adds a metadata entry if key and value fit, and a note otherwise. */
export function addMetadata(draft: UserRecord, key: string, value: string) {
  const bytes = Buffer.byteLength(value);
  const isKey = fits(fieldRules.metadataKey, key) && sanitize(key) === key;
  if (!isKey || bytes < metadataValueBytes.min || bytes > metadataValueBytes.max) {
    addNote(draft, 'attribute:dropped', cut(key, 60));
    return;
  }
  // Bytes can contain NUL, but no lone surrogate.
  if (!value.isWellFormed()) addNote(draft, 'field:cleaned', cut(key, 60));
  draft.metadata.push({ key, value: value.toWellFormed() });
}

type Named = Pick<UserRecord, 'origin'> &
  Partial<Pick<UserRecord, 'userName' | 'email'>> & { readonly orgId?: string | undefined };

export function reject(
  { origin, userName = '', email = '', orgId }: Named,
  code: ReasonCode,
  detail = '',
): Rejected {
  return {
    kind: 'rejected',
    origin,
    orgId,
    userName,
    email,
    code,
    detail,
  };
}

/** Returns the text without what the target cannot store, and adds a note if it changed. */
export function sanitizeField(
  draft: UserRecord,
  field: string,
  text: string,
  change: (text: string) => string = sanitize,
) {
  const clean = change(text);
  if (clean !== text) addNote(draft, 'field:cleaned', field);
  return clean;
}

/** Returns a name. The target keeps all blanks of a name, but a name that has only blanks counts as empty. */
export function nameField(user: UserRecord, field: string, text: string) {
  return trimBlanks(text) === '' ? '' : sanitizeField(user, field, text, onOneLine);
}

/** Returns a name, which may be empty, cut to what the target takes. */
export function optionalName(user: UserRecord, field: string, text: string) {
  const clean = nameField(user, field, text);
  if (fits(fieldRules.displayName, clean)) return clean;
  addNote(user, 'field:truncated', field);
  return cut(clean, fieldRules.displayName.max);
}

/**
 * Derives an id for a record without one: a version 5 UUID of the realm and the lower-case user name, so that every run
 * over an export gives the same ID.
 */
export function deriveId(realm: string, userName: string) {
  const bytes = createHash('sha1')
    .update(namespace)
    .update(`${realm}\0${userName.toLowerCase()}`)
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Drawn once for this purpose. Changing it would change every derived ID. */
const namespace = Buffer.from('6f0d9a5ce3b14d8f9b1e5f2a7c40d311', 'hex');

/** Adds memberships. Roles of several memberships in the same organization are merged. */
export function addMemberships(draft: UserRecord, memberships: readonly Membership[]) {
  if (memberships.length === 0) return;
  const all = [...(draft.organizations ?? []), ...memberships];
  draft.organizations = mergeRoles(
    all.filter(({ key }) => key !== ''),
    ({ key }) => key,
  );
}

export function mergeRoles<One extends Pick<Membership, 'roles'>>(
  all: readonly One[],
  keyOf: (one: One) => string,
) {
  const byKey = new Map<string, One>();
  for (const one of all) {
    const key = keyOf(one);
    byKey.set(key, { ...one, roles: [...new Set([...(byKey.get(key)?.roles ?? []), ...one.roles])] });
  }
  return [...byKey.values()];
}

const genders: Readonly<Record<string, Gender>> = {
  f: 'female',
  female: 'female',
  woman: 'female',
  w: 'female',
  weiblich: 'female',
  femme: 'female',
  gender_female: 'female',
  m: 'male',
  male: 'male',
  man: 'male',
  männlich: 'male',
  homme: 'male',
  gender_male: 'male',
  d: 'diverse',
  x: 'diverse',
  diverse: 'diverse',
  divers: 'diverse',
  nonbinary: 'diverse',
  'non-binary': 'diverse',
  other: 'diverse',
  gender_diverse: 'diverse',
};

export function readGender(raw: string) {
  const word = raw.trim().toLowerCase();
  return Object.hasOwn(genders, word) ? genders[word]! : 'unspecified';
}

/** The one key that is added to a record. Every reader ignores it. */
export const rejectedKey = 'idport:rejected';

/**
 * Returns the source's record with one more key in front, as JSON without line breaks. A value that is not an object is
 * stored under `raw` inside that key. The line contains any secrets that the record contains.
 */
export function encodeRejected(
  { origin, code, detail }: Pick<Rejected, 'origin' | 'code' | 'detail'>,
  raw: unknown,
) {
  const reason = { code, detail, input: origin.input, index: origin.index };
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return JSON.stringify({ [rejectedKey]: { ...reason, raw } });
  }
  const { [rejectedKey]: _, ...record } = raw as Record<string, unknown>;
  return JSON.stringify({ [rejectedKey]: reason, ...record });
}
