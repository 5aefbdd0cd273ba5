/**
 * Turns what a reader found out about a user into a complete record, or into the reason why there is none.
 * The rules of the target that hold for every provider stand here, so that no reader repeats them.
 */
import { checkAddress } from './email.ts';
import { fieldRules, fits } from './field-rules.ts';
import { readGender } from './gender.ts';
import { readLanguage } from './language.ts';
import { completeNames } from './names.ts';
import { readPhone } from './phone.ts';
import { cut, storable, trimBlanks } from './text.ts';
import type { ReadResult, Rejected } from './user.ts';
import { addNote, reject, storableField, type UserDraft, type UserOptions } from './user-draft.ts';

function refuseNames(draft: UserDraft, userName: string): Rejected | undefined {
  if (userName === '') return reject(draft, 'user-skipped:no-username');
  if (/[\r\n]/.test(userName)) return reject(draft, 'record:malformed', 'a line end in the user name');
  if (!fits(fieldRules.userName, userName)) return reject(draft, 'user-skipped:field-too-long', 'user name');
  if (draft.id.length > 200) return reject(draft, 'user-skipped:field-too-long', 'id');
  // Two ids could become one.
  if (storable(draft.id) !== draft.id)
    return reject(draft, 'record:malformed', 'id holds NUL or a lone surrogate');
  return undefined;
}

/** Applies the rules. The draft is used up: do not touch it afterwards. */
export function finishUser(draft: UserDraft, options: UserOptions): ReadResult {
  const userName = trimmedField(draft, 'user name', draft.userName);
  const refusal = refuseNames(draft, userName);
  if (refusal !== undefined) return refusal;
  if (!draft.enabled && options.disabled === 'skip') return reject(draft, 'user-skipped:disabled');

  const own = trimmedField(draft, 'email', draft.email);
  const address =
    own === ''
      ? replaceEmail(draft, userName, options)
      : { email: own, isVerified: options.emailVerified ?? draft.emailVerified };
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
    otherHashes: draft.otherHashes,
    plainPassword: draft.plainPassword,
    sourceForm: draft.sourceForm,
    otpSecret: draft.otpSecret,
    recoveryCodeHashes: draft.recoveryCodeHashes,
    recoveryCodes: draft.recoveryCodes,
    roles: draft.roles,
    links: draft.links,
    state: inactive ? 'inactive' : 'active',
    organizations: draft.organizations,
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

function optionalName(draft: UserDraft, field: string, text: string): string {
  const clean = nameField(draft, field, text);
  if (fits(fieldRules.displayName, clean)) return clean;
  addNote(draft, 'field:truncated', field);
  return cut(clean, fieldRules.displayName.max);
}

interface Address {
  readonly email: string;
  readonly isVerified: boolean;
}

/** What stands in for a missing email, or undefined where nothing can. */
function replaceEmail(draft: UserDraft, userName: string, options: UserOptions): Address | undefined {
  const { emailFallback, placeholderDomain, emailVerified = false } = options;
  if (emailFallback === 'username' && checkAddress(userName) === undefined) {
    addNote(draft, 'email:from-username');
    // What the source says of an address that it does not have is said of no address.
    return { email: userName, isVerified: emailVerified };
  }
  if (emailFallback !== 'placeholder') return undefined;
  addNote(draft, 'email:placeholder');
  return { email: placeholderAddress(userName, placeholderDomain), isVerified: true };
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
