/**
 * Turns what a reader found out about a user into a complete record, or into the reason why there is none.
 * The rules of the target that hold for every provider stand here, so that no reader repeats them.
 */
import { createHash } from 'node:crypto';
import { checkAddress } from './email.ts';
import { fieldRules, fits, metadataValueBytes } from './field-rules.ts';
import { readGender } from './gender.ts';
import { readLanguage } from './language.ts';
import { completeNames, type NameFallback } from './names.ts';
import { readPhone } from './phone.ts';
import type { ReasonCode } from './reasons.ts';
import { cut, losesCharacters, tidy } from './text.ts';
import type { IdpLink, MetadataEntry, Note, Origin, ReadResult, Rejected } from './user.ts';

/** What is carried of a user, and how; the same for every provider. */
export interface UserOptions {
  readonly nameFallback: NameFallback;
  /** Domain of placeholder addresses; empty to reject users without an address. */
  readonly placeholderDomain: string;
  readonly assumeEmailVerified: boolean;
  /** ISO 3166 country of phone numbers without a prefix. */
  readonly defaultRegion: string | undefined;
  readonly disabled: 'keep' | 'skip' | 'active';
  readonly metadata: 'none' | 'attributes' | 'all';
  /** The source's name of an identity provider -> id of its configuration in the target. */
  readonly idps: Readonly<Record<string, string>>;
}

/** A user as a reader found it: texts as the source has them, absent ones empty. */
export interface UserDraft {
  readonly origin: Origin;
  id: string;
  userName: string;
  givenName: string;
  familyName: string;
  fullName: string;
  nickName: string;
  displayName: string;
  language: string;
  gender: string;
  email: string;
  emailVerified: boolean;
  phone: string;
  phoneVerified: boolean;
  passwordHash: string;
  plainPassword: string;
  otpSecret: string;
  recoveryCodeHashes: readonly string[];
  links: IdpLink[];
  enabled: boolean;
  metadata: MetadataEntry[];
  notes: Note[];
}

export function startDraft(origin: Origin): UserDraft {
  return {
    origin,
    id: '',
    userName: '',
    givenName: '',
    familyName: '',
    fullName: '',
    nickName: '',
    displayName: '',
    language: '',
    gender: '',
    email: '',
    emailVerified: false,
    phone: '',
    phoneVerified: false,
    passwordHash: '',
    plainPassword: '',
    otpSecret: '',
    recoveryCodeHashes: [],
    links: [],
    enabled: true,
    metadata: [],
    notes: [],
  };
}

export function addNote(draft: UserDraft, code: ReasonCode, detail?: string): void {
  draft.notes.push(detail === undefined ? { code } : { code, detail });
}

/** Adds a link where `--idp` names the counterpart, a note where it does not. */
export function addLink(
  draft: UserDraft,
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
  else
    draft.links.push({
      configId,
      externalUserId,
      displayName: cut(displayName, fieldRules.idpDisplayName.max),
    });
}

/** Adds a metadata entry where key and value fit, a note where they do not. */
export function addMetadata(draft: UserDraft, key: string, value: string): void {
  const bytes = Buffer.byteLength(value);
  if (
    !fits(fieldRules.metadataKey, key) ||
    bytes < metadataValueBytes.min ||
    bytes > metadataValueBytes.max
  ) {
    addNote(draft, 'attribute:dropped', cut(key, 60));
    return;
  }
  draft.metadata.push({ key, value });
}

export function reject(draft: Pick<UserDraft, 'origin'>, code: ReasonCode, detail = ''): Rejected {
  return { kind: 'rejected', origin: draft.origin, code, detail };
}

/** Applies the rules. The draft is used up: do not touch it afterwards. */
export function finishUser(draft: UserDraft, options: UserOptions): ReadResult {
  const userName = tidyField(draft, 'user name', draft.userName);
  if (userName === '') return reject(draft, 'user-skipped:no-username');
  if (!fits(fieldRules.userName, userName)) return reject(draft, 'user-skipped:field-too-long', 'user name');
  if (draft.id.length > 200) return reject(draft, 'user-skipped:field-too-long', 'id');
  if (!draft.enabled && options.disabled === 'skip') return reject(draft, 'user-skipped:disabled');

  let email = tidyField(draft, 'email', draft.email);
  let emailVerified = draft.emailVerified || (options.assumeEmailVerified && email !== '');
  if (email === '') {
    if (options.placeholderDomain === '') return reject(draft, 'user-skipped:no-email');
    email = placeholderAddress(userName, options.placeholderDomain);
    emailVerified = true;
    addNote(draft, 'email:placeholder');
  }
  const problem = checkAddress(email);
  if (problem !== undefined) return reject(draft, 'user-skipped:invalid-email', problem);
  if (!fits(fieldRules.email, email)) return reject(draft, 'user-skipped:field-too-long', 'email');

  const names = completeNames(
    {
      given: tidyField(draft, 'first name', draft.givenName),
      family: tidyField(draft, 'last name', draft.familyName),
      full: tidyField(draft, 'full name', draft.fullName),
      userName,
      email,
    },
    options.nameFallback,
  );
  if (names === undefined) return reject(draft, 'user-skipped:no-name');
  if (names.filled !== '') addNote(draft, 'name:filled', names.filled);
  if (names.truncated) addNote(draft, 'field:truncated', 'name');

  const nickName = optionalName(draft, 'nick name', draft.nickName);
  const displayName = optionalName(draft, 'display name', draft.displayName);
  const phone = finishPhone(draft, options);
  const language = finishLanguage(draft);
  if (draft.otpSecret !== '' && draft.id === '') {
    draft.otpSecret = '';
    addNote(draft, 'otp:no-id');
  }
  if (draft.metadata.length > 0 && draft.id === '') {
    draft.metadata = [];
    addNote(draft, 'attribute:dropped', 'the record has no id');
  }
  const inactive = !draft.enabled && options.disabled === 'keep';
  if (inactive) addNote(draft, 'state:needs-v4');

  return {
    kind: 'human',
    origin: draft.origin,
    id: draft.id,
    userName,
    givenName: names.given,
    familyName: names.family,
    nickName,
    displayName,
    language,
    gender: draft.gender === '' ? 'unspecified' : readGender(draft.gender),
    email,
    emailVerified,
    phone,
    phoneVerified: phone !== '' && draft.phoneVerified,
    passwordHash: draft.passwordHash,
    plainPassword: draft.plainPassword,
    otpSecret: draft.otpSecret,
    recoveryCodeHashes: draft.recoveryCodeHashes,
    links: draft.links,
    state: inactive ? 'inactive' : 'active',
    metadata: draft.metadata,
    notes: draft.notes,
  };
}

function tidyField(draft: UserDraft, field: string, text: string): string {
  if (text === '') return '';
  const clean = tidy(text);
  if (clean !== text && losesCharacters(text)) addNote(draft, 'field:cleaned', field);
  return clean;
}

function optionalName(draft: UserDraft, field: string, text: string): string {
  const clean = tidyField(draft, field, text);
  if (fits(fieldRules.displayName, clean)) return clean;
  addNote(draft, 'field:truncated', field);
  return cut(clean, fieldRules.displayName.max);
}

function finishPhone(draft: UserDraft, options: UserOptions): string {
  const raw = draft.phone.trim();
  if (raw === '') return '';
  const phone = readPhone(raw, options.defaultRegion);
  if (phone === undefined) {
    addNote(draft, 'phone:dropped');
    return '';
  }
  if (phone.doubtful) addNote(draft, 'phone:doubtful');
  return phone.e164;
}

function finishLanguage(draft: UserDraft): string {
  if (draft.language === '') return '';
  const language = readLanguage(draft.language);
  if (language.tag === '') addNote(draft, 'language:dropped');
  else if (!language.translated) addNote(draft, 'language:unsupported', language.tag);
  return language.tag;
}

/** Anything that may not stand before the `@` of an address becomes a hyphen. */
function placeholderAddress(userName: string, domain: string): string {
  const local = userName
    .toLowerCase()
    .replace(/[^a-z0-9._+-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^\.+|\.+$/g, '');
  return `${cut(local, 64) || 'user'}@${domain}`;
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
