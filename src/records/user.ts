/** The user record: every source reads into it, with the functions here, and every target writes from it. */
import type { SourceForm } from './hash-forms/form.ts';
import type { Membership } from './organization.ts';
import type { ReasonCode } from './reasons.ts';
import { createHash } from 'node:crypto';
import { fieldRules, fits, metadataValueBytes } from '../lib/field-rules.ts';
import { cut, onOneLine, sanitize } from './text.ts';

/** Where a record came from; travels with it, so that no later step looks at the source again. */
export interface Origin {
  /** The input's name as the user gave it: a path, or `-`. */
  readonly input: string;
  /** Place of the record in its input, from 0; messages count it from 1. */
  readonly index: number;
  /** The source's own id, or failing that its user name; empty when it has neither. */
  readonly id: string;
}

export type UserState = 'active' | 'inactive' | 'locked';
export type Gender = 'unspecified' | 'female' | 'male' | 'diverse';

/** A login at another identity provider. */
export interface IdpLink {
  /** Id of the provider's configuration in the target. */
  readonly configId: string;
  /** The user's id at that provider. */
  readonly externalUserId: string;
  readonly displayName: string;
}

export interface MetadataEntry {
  readonly key: string;
  /** Plain text; empty where it is not text. */
  readonly value: string;
  /** Of an import body, which may hold any bytes. */
  readonly base64?: string;
}

/** Something a reader of the report should know about a record that was written. */
export interface Note {
  readonly code: ReasonCode;
  /** Names and numbers that explain the case; never a secret. */
  readonly detail?: string;
}

/** What users and service accounts have in common. */
interface AnyRecord {
  origin: Origin;
  /** The organization, where it is not that of all. */
  orgId?: string;
  /** Of an import body: the projects and their roles, as a text that is the same in another body. */
  grants?: string;
  /** Where the source itself names them; only where a mapping names them. */
  organizations?: readonly Membership[] | undefined;
  metadata: MetadataEntry[];
  notes: Note[];
}

/**
 * A user, from the reader of a source to the bytes of the body: one object, which every step completes or changes.
 * Absent text is the empty string, absent lists are empty: nothing downstream asks twice.
 */
export interface UserRecord extends AnyRecord {
  readonly kind: 'human';
  /** The id to carry over; empty when the target is to choose one. */
  id: string;
  userName: string;
  givenName: string;
  familyName: string;
  /** Given and family names are made of it where the source has none. */
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
  /** ISO 3166 country of a number without a prefix, where the record itself names one. */
  phoneRegion?: string;
  phoneVerified: boolean;
  /** Modular crypt format; secret. */
  passwordHash: string;
  /** Of the same password, for a target that refuses the first; secret. */
  otherHashes?: readonly string[] | undefined;
  /** Only of an import body: the service is asked for a link to set up a passkey. */
  requestsPasskey?: boolean;
  /** A password that the source holds in plain text; secret, never written, hashed before the record is. */
  plainPassword: string;
  /** How the source has stored a password of which no hash can be written; secret. */
  sourceForm?: SourceForm | undefined;
  /** Base32 without padding, for SHA-1, 6 digits, 30 seconds; secret. */
  otpSecret: string;
  /** Modular crypt format; secret. */
  recoveryCodeHashes: readonly string[];
  /** In plain text, for sources that keep them so; secret. Only a bulk import takes recovery codes. */
  recoveryCodes: readonly string[];
  /** Names; only of sources whose mapping names a field for them. */
  roles?: readonly string[] | undefined;
  links: IdpLink[];
  state: UserState;
}

/** Whether the source has the password in plain text; it may have become a hash since. */
export function isPlain({ passwordHash, plainPassword, notes }: UserRecord): boolean {
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
  /** Where it is known. */
  readonly orgId?: string | undefined;
  /** As far as they could be read; else empty. */
  readonly userName: string;
  readonly email: string;
  readonly code: ReasonCode;
  readonly detail: string;
}

/** What a reader makes of one record of a source. */
export type ReadResult = UserRecord | MachineRecord | Rejected;

/** What replaces a missing name; `skip` leaves the user out. */
export const nameFallbacks = ['username', 'email-local', 'dash', 'full-name', 'skip'] as const;
export type NameFallback = (typeof nameFallbacks)[number];

/** What is carried of a user, and how; the same for every provider. */
export interface UserOptions {
  readonly nameFallback: NameFallback;
  /** What a user without an email gets: nothing and is rejected, the user name where it is an address, a placeholder. */
  readonly emailFallback: 'skip' | 'username' | 'placeholder';
  /** Domain of placeholder addresses. */
  readonly placeholderDomain: string;
  /** Whether addresses are verified; undefined leaves that to what the source says of each. */
  readonly emailVerified: boolean | undefined;
  /** ISO 3166 country of phone numbers without a prefix. */
  readonly defaultRegion: string | undefined;
  readonly disabled: 'keep' | 'skip' | 'active';
  readonly metadata: 'none' | 'attributes' | 'all';
  /** The source's name of an identity provider -> id of its configuration in the target. */
  readonly idps: Readonly<Record<string, string>>;
}

/** A user of whom nothing is known yet. */
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

/** Adds a link where `--idp` names the counterpart, a note where it does not. */
export function addLink(
  draft: UserRecord,
  options: UserOptions,
  alias: string,
  externalUserId: string,
  displayName: string,
) {
  const configId = Object.hasOwn(options.idps, alias) ? options.idps[alias] : undefined;
  if (externalUserId === '') addNote(draft, 'idp:missing-id', alias);
  else if (configId === undefined) addNote(draft, 'idp:unmapped-alias', alias);
  else if (!fits(fieldRules.idpExternalUserId, externalUserId))
    addNote(draft, 'idp:missing-id', `${alias}: id too long`);
  else if (sanitize(externalUserId) !== externalUserId)
    addNote(draft, 'idp:missing-id', `${alias}: id holds NUL or a lone surrogate`);
  else
    draft.links.push({
      configId,
      externalUserId,
      displayName: cut(
        sanitizeField(draft, 'name at an identity provider', displayName, onOneLine),
        fieldRules.idpDisplayName.max,
      ),
    });
}

/** Adds a metadata entry where key and value fit, a note where they do not. */
export function addMetadata(draft: UserRecord, key: string, value: string) {
  const bytes = Buffer.byteLength(value);
  const isKey = fits(fieldRules.metadataKey, key) && sanitize(key) === key;
  if (!isKey || bytes < metadataValueBytes.min || bytes > metadataValueBytes.max) {
    addNote(draft, 'attribute:dropped', cut(key, 60));
    return;
  }
  // Bytes can hold NUL, but no half of a character.
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

/** Without what the target cannot store. */
export function sanitizeField(
  draft: UserRecord,
  field: string,
  text: string,
  change: (text: string) => string = sanitize,
): string {
  const clean = change(text);
  if (clean !== text) addNote(draft, 'field:cleaned', field);
  return clean;
}

/**
 * An id for a record without one: a version 5 UUID over the realm and the user name in lower case, so that every run
 * over an export gives the same id.
 */
export function deriveId(realm: string, userName: string): string {
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

/** Drawn once for this purpose; changing it would change every derived id. */
const namespace = Buffer.from('6f0d9a5ce3b14d8f9b1e5f2a7c40d311', 'hex');

/** Roles of several memberships in one organization are merged. */
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
): One[] {
  const byKey = new Map<string, One>();
  for (const one of all) {
    const key = keyOf(one);
    byKey.set(key, { ...one, roles: [...new Set([...(byKey.get(key)?.roles ?? []), ...one.roles])] });
  }
  return [...byKey.values()];
}
