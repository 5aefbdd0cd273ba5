/**
 * Turns what a reader found out about a user into a complete record, or into the reason for leaving it out. Rules of
 * the target that hold for every provider are here, so that no reader repeats them.
 */
import { checkAddress } from './email.ts';
import { fieldRules, fits } from '../lib/field-rules.ts';
import { cut, sanitize, trimBlanks, splitLastWord } from './text.ts';
import { readLanguage } from './language.ts';
import { readPhone } from './phone.ts';
import {
  type ReadResult,
  type Rejected,
  type UserRecord,
  addNote,
  nameField,
  optionalName,
  reject,
  sanitizeField,
  type UserOptions,
  type NameFallback,
} from './user.ts';

/** Sets the user name as the target stores it. Returns a rejection if the user name or the id does not fit. */
function finishKeys(user: UserRecord): Rejected | undefined {
  user.userName = trimmedField(user, 'user name', user.userName);
  const { id, userName } = user;
  if (userName === '') return reject(user, 'user-skipped:no-username');
  if (/[\r\n]/.test(userName)) return reject(user, 'record:malformed', 'a line end in the user name');
  if (/[\r\n]/.test(id)) return reject(user, 'record:malformed', 'a line end in the id');
  if (!fits(fieldRules.userName, userName)) return reject(user, 'user-skipped:field-too-long', 'user name');
  if (id.length > 200) return reject(user, 'user-skipped:field-too-long', 'id');
  // Sanitizing could make two ids equal.
  if (sanitize(id) !== id) return reject(user, 'record:malformed', 'id holds NUL or a lone surrogate');
  return undefined;
}

/** Makes a service account of what a reader has filled in. Its name is the display name. */
export function finishMachine(draft: UserRecord): ReadResult {
  const refusal = finishKeys(draft);
  if (refusal !== undefined) return refusal;
  const { origin, id, userName, displayName, state, organizations, metadata, notes } = draft;
  return {
    kind: 'machine',
    origin,
    id,
    userName,
    name: optionalName(draft, 'name', displayName) || userName,
    description: '',
    state,
    organizations,
    metadata,
    notes: notes.filter(({ code }) => !code.startsWith('password:')),
  };
}

/** Number of recovery codes that the target holds. */
const maxCodes = 10;

/** Tells hashes from plain codes. Without one-time passwords, codes would be the only second factor, and end. */
function finishRecoveryCodes(user: UserRecord) {
  const { recoveryCodes: codes, otpSecret } = user;
  const kept = otpSecret === '' ? [] : codes.filter(({ length }) => length <= 200).slice(0, maxCodes);
  user.recoveryCodeHashes = kept.filter((code) => code.startsWith('$'));
  user.recoveryCodes = kept.filter((code) => !code.startsWith('$'));
  if (kept.length < codes.length)
    addNote(
      user,
      kept.length === 0 ? 'mfa:recovery-codes' : 'mfa:further-codes',
      `${codes.length - kept.length} left out`,
    );
}

/** Applies the rules to the user that a reader has filled in. Returns the same object, or why the user is left out. */
export function finishUser(user: UserRecord, options: UserOptions): ReadResult {
  const refusal = finishKeys(user);
  if (refusal !== undefined) return refusal;
  if (user.state === 'inactive' && options.disabled === 'skip') return reject(user, 'user-skipped:disabled');

  user.email = trimmedField(user, 'email', user.email);
  if (user.email !== '') user.emailVerified = options.emailVerified ?? user.emailVerified;
  else if (!replaceEmail(user, options)) return reject(user, 'user-skipped:no-email');
  const problem = checkAddress(user.email);
  if (problem !== undefined) return reject(user, 'user-skipped:invalid-email', problem);
  if (!fits(fieldRules.email, user.email)) return reject(user, 'user-skipped:field-too-long', 'email');

  user.givenName = nameField(user, 'first name', user.givenName);
  user.familyName = nameField(user, 'last name', user.familyName);
  user.fullName = nameField(user, 'full name', user.fullName);
  if (!completeNames(user, options.nameFallback)) return reject(user, 'user-skipped:no-name');
  user.nickName = optionalName(user, 'nick name', user.nickName);
  user.displayName = optionalName(user, 'display name', user.displayName);
  finishPhone(user, options);
  finishLanguage(user);
  if (user.otpSecret !== '' && user.id === '') {
    user.otpSecret = '';
    addNote(user, 'otp:no-id');
  }
  finishRecoveryCodes(user);
  if (user.metadata.length > 0 && user.id === '') {
    user.metadata = [];
    addNote(user, 'attribute:dropped', 'the record has no id');
  }
  if (user.state === 'inactive' && options.disabled === 'active') user.state = 'active';
  if (user.state === 'inactive') addNote(user, 'state:needs-v4');
  return user;
}

/** Returns the text as the target stores it: without blanks at its ends. Blanks inside stay. */
function trimmedField(user: UserRecord, field: string, text: string) {
  const clean = sanitizeField(user, field, text);
  const trimmed = trimBlanks(clean);
  if (trimmed !== '' && trimmed !== clean) addNote(user, 'field:trimmed', field);
  return trimmed;
}

/** Replaces a missing email as the options say. Returns false if they do not. */
function replaceEmail(user: UserRecord, options: UserOptions) {
  const { emailFallback, placeholderDomain, emailVerified = false } = options;
  if (emailFallback === 'username' && checkAddress(user.userName) === undefined) {
    addNote(user, 'email:from-username');
    user.email = user.userName;
    // What the source says about an address that it does not have must not apply to the placeholder.
    user.emailVerified = emailVerified;
    return true;
  }
  if (emailFallback !== 'placeholder') return false;
  addNote(user, 'email:placeholder');
  user.email = placeholderAddress(user.userName, placeholderDomain);
  user.emailVerified = true;
  return true;
}

/** Returns a placeholder address. Characters that may not come before the `@` become hyphens. */
function placeholderAddress(userName: string, domain: string) {
  const local = userName
    .toLowerCase()
    .replace(/[^a-z0-9._+-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^\.+|\.+$/g, '');
  return `${cut(local, 64) || 'user'}@${domain}`;
}

function finishPhone(user: UserRecord, options: UserOptions) {
  const raw = user.phone.trim();
  const phone = raw === '' ? undefined : readPhone(raw, user.phoneRegion || options.defaultRegion);
  if (raw !== '' && phone === undefined) addNote(user, 'phone:dropped');
  if (phone?.doubtful) addNote(user, 'phone:doubtful');
  if (phone?.extension) addNote(user, 'field:truncated', `phone: without extension ${phone.extension}`);
  user.phone = phone?.e164 ?? '';
  user.phoneVerified &&= user.phone !== '';
}

function finishLanguage(user: UserRecord) {
  if (user.language === '') return;
  const { tag, translated } = readLanguage(user.language);
  if (tag === '') addNote(user, 'language:dropped');
  else if (!translated) addNote(user, 'language:unsupported', tag);
  user.language = tag;
}

type Named = Pick<UserRecord, 'givenName' | 'familyName' | 'fullName' | 'userName' | 'email' | 'notes'>;

/**
 * Fills in missing names and cuts long ones. Returns false if a name is missing and the fallback is `skip`. Names that
 * have only blanks must be empty by now.
 */
export function completeNames(user: Named, fallback: NameFallback) {
  if (!fillNames(user, fallback)) return false;
  const { givenName, familyName } = user;
  user.givenName = cut(givenName, fieldRules.firstName.max);
  user.familyName = cut(familyName, fieldRules.lastName.max);
  const isCut = user.givenName.length < givenName.length || user.familyName.length < familyName.length;
  if (isCut) user.notes.push({ code: 'field:truncated', detail: 'name' });
  return true;
}

function fillNames(user: Named, fallback: NameFallback) {
  const { fullName, notes } = user;
  if (fallback !== 'full-name' && fullName !== '') {
    const [before, word] = splitLastWord(fullName) ?? [fullName, ''];
    user.givenName ||= before;
    user.familyName ||= word;
  }
  if (user.givenName !== '' && user.familyName !== '') return true;
  const missing = [user.givenName === '' && 'first', user.familyName === '' && 'last'].filter(Boolean);
  const substitute = substitutes[fallback](user);
  if (substitute === undefined) return false;
  user.givenName ||= substitute;
  user.familyName ||= substitute;
  notes.push({ code: 'name:filled', detail: `${missing.join(' and ')} name` });
  return true;
}

const substitutes: Readonly<Record<NameFallback, (user: Named) => string | undefined>> = {
  username: (user) => user.userName,
  'email-local': (user) => user.email.slice(0, user.email.lastIndexOf('@')) || user.userName,
  dash: () => '-',
  'full-name': (user) => user.fullName || user.email || user.userName,
  skip: () => undefined,
};
