/** What the readers of all sources do to a user, before the rules of `finish-user.ts` are applied. */
import { createHash } from 'node:crypto';
import { fieldRules, fits, metadataValueBytes } from './field-rules.ts';
import { type NameFallback } from './names.ts';
import type { Membership } from './organization.ts';
import type { ReasonCode } from './reasons.ts';
import { cut, onOneLine, sanitize } from './text.ts';
import type { Origin, Rejected, UserRecord } from './user.ts';

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

export function addNote(draft: UserRecord, code: ReasonCode, detail?: string): void {
  draft.notes.push(detail === undefined ? { code } : { code, detail });
}

/** Adds a link where `--idp` names the counterpart, a note where it does not. */
export function addLink(
  draft: UserRecord,
  options: UserOptions,
  alias: string,
  externalUserId: string,
  displayName: string,
): void {
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
export function addMetadata(draft: UserRecord, key: string, value: string): void {
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
export function sanitizeField(draft: UserRecord, field: string, text: string, change = sanitize): string {
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
export function addMemberships(draft: UserRecord, memberships: readonly Membership[]): void {
  if (memberships.length === 0) return;
  const byKey = new Map((draft.organizations ?? []).map((each) => [each.key, each]));
  for (const { key, roles } of memberships.filter(({ key: name }) => name !== '')) {
    byKey.set(key, { key, roles: [...new Set([...(byKey.get(key)?.roles ?? []), ...roles])] });
  }
  draft.organizations = [...byKey.values()];
}
