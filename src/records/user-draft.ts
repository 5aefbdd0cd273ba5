/**
 * Turns what a reader found out about a user into a complete record, or into the reason why there is none.
 * The rules of the target that hold for every provider stand here, so that no reader repeats them.
 */
import { createHash } from 'node:crypto';
import { checkAddress } from './email.ts';
import type { SourceForm } from './hash-forms/form.ts';
import { fieldRules, fits, metadataValueBytes } from './field-rules.ts';
import { readGender } from './gender.ts';
import { readLanguage } from './language.ts';
import { completeNames, type NameFallback } from './names.ts';
import { readPhone } from './phone.ts';
import type { ReasonCode } from './reasons.ts';
import { cut, storable, trimBlanks } from './text.ts';
import type { IdpLink, MetadataEntry, Note, Origin, ReadResult, Rejected } from './user.ts';

/** What is carried of a user, and how; the same for every provider. */
export interface UserOptions {
  readonly nameFallback: NameFallback;
  /** What a user without an email gets: nothing and is rejected, the user name where it is an address, a placeholder. */
  readonly emailFallback: 'skip' | 'username' | 'placeholder';
  /** Domain of placeholder addresses. */
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
  sourceForm: SourceForm | undefined;
  otpSecret: string;
  recoveryCodeHashes: readonly string[];
  recoveryCodes: readonly string[];
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
    sourceForm: undefined,
    otpSecret: '',
    recoveryCodeHashes: [],
    recoveryCodes: [],
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
  else if (storable(externalUserId) !== externalUserId)
    addNote(draft, 'idp:missing-id', `${alias}: id holds NUL or a lone surrogate`);
  else
    draft.links.push({
      configId,
      externalUserId,
      displayName: cut(
        storableField(draft, 'name at an identity provider', displayName),
        fieldRules.idpDisplayName.max,
      ),
    });
}

/** Adds a metadata entry where key and value fit, a note where they do not. */
export function addMetadata(draft: UserDraft, key: string, value: string): void {
  const bytes = Buffer.byteLength(value);
  const isKey = fits(fieldRules.metadataKey, key) && storable(key) === key;
  if (!isKey || bytes < metadataValueBytes.min || bytes > metadataValueBytes.max) {
    addNote(draft, 'attribute:dropped', cut(key, 60));
    return;
  }
  // Bytes can hold NUL, but no half of a character.
  if (!value.isWellFormed()) addNote(draft, 'field:cleaned', cut(key, 60));
  draft.metadata.push({ key, value: value.toWellFormed() });
}

type Named = Pick<UserDraft, 'origin'> & Partial<Pick<UserDraft, 'userName' | 'email'>>;

export function reject(
  { origin, userName = '', email = '' }: Named,
  code: ReasonCode,
  detail = '',
): Rejected {
  return { kind: 'rejected', origin, userName, email, code, detail };
}

/** Applies the rules. The draft is used up: do not touch it afterwards. */
export function finishUser(draft: UserDraft, options: UserOptions): ReadResult {
  const userName = trimmedField(draft, 'user name', draft.userName);
  if (userName === '') return reject(draft, 'user-skipped:no-username');
  if (!fits(fieldRules.userName, userName)) return reject(draft, 'user-skipped:field-too-long', 'user name');
  if (draft.id.length > 200) return reject(draft, 'user-skipped:field-too-long', 'id');
  // Two ids could become one.
  if (storable(draft.id) !== draft.id)
    return reject(draft, 'record:malformed', 'id holds NUL or a lone surrogate');
  if (!draft.enabled && options.disabled === 'skip') return reject(draft, 'user-skipped:disabled');

  const own = trimmedField(draft, 'email', draft.email);
  const address =
    own === ''
      ? replaceEmail(draft, userName, options)
      : { email: own, isVerified: draft.emailVerified || options.assumeEmailVerified };
  if (address === undefined) return reject(draft, 'user-skipped:no-email');
  const { email, isVerified: emailVerified } = address;
  const problem = checkAddress(email);
  if (problem !== undefined) return reject(draft, 'user-skipped:invalid-email', problem);
  if (!fits(fieldRules.email, email)) return reject(draft, 'user-skipped:field-too-long', 'email');

  const names = completeNames(
    {
      given: nameField(draft, 'first name', draft.givenName),
      family: nameField(draft, 'last name', draft.familyName),
      full: nameField(draft, 'full name', draft.fullName),
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
    sourceForm: draft.sourceForm,
    otpSecret: draft.otpSecret,
    recoveryCodeHashes: draft.recoveryCodeHashes,
    recoveryCodes: draft.recoveryCodes,
    links: draft.links,
    state: inactive ? 'inactive' : 'active',
    metadata: draft.metadata,
    notes: draft.notes,
  };
}

/** As the target stores it: without blanks at the ends. Blanks inside stay. */
function trimmedField(draft: UserDraft, field: string, text: string): string {
  const clean = storableField(draft, field, text);
  const trimmed = trimBlanks(clean);
  if (trimmed !== '' && trimmed !== clean) addNote(draft, 'field:trimmed', field);
  return trimmed;
}

/** The target stores names with all their blanks; one of blanks only is none. */
function nameField(draft: UserDraft, field: string, text: string): string {
  const clean = storableField(draft, field, text);
  return trimBlanks(clean) === '' ? '' : clean;
}

function storableField(draft: UserDraft, field: string, text: string): string {
  const clean = storable(text);
  if (clean !== text) addNote(draft, 'field:cleaned', field);
  return clean;
}

interface Address {
  readonly email: string;
  readonly isVerified: boolean;
}

/** What stands in for a missing email, or undefined where nothing can. */
function replaceEmail(draft: UserDraft, userName: string, options: UserOptions): Address | undefined {
  const { emailFallback, placeholderDomain, assumeEmailVerified } = options;
  if (emailFallback === 'username' && checkAddress(userName) === undefined) {
    addNote(draft, 'email:from-username');
    // What the source says of an address that it does not have is said of no address.
    return { email: userName, isVerified: assumeEmailVerified };
  }
  if (emailFallback !== 'placeholder') return undefined;
  addNote(draft, 'email:placeholder');
  return { email: placeholderAddress(userName, placeholderDomain), isVerified: true };
}

function optionalName(draft: UserDraft, field: string, text: string): string {
  const clean = nameField(draft, field, text);
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
