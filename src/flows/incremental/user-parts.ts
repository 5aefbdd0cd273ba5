/** Splits a user into parts, each a text that is the same in the source and at the service, to find out what has changed. */
import { hash } from 'node:crypto';
import { isRealHash } from '../../records/placeholder-password.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { encodeMetadataEntry } from '../../targets/human-user.ts';
import type { UserV2 } from '../../wire/user.ts';
import type { PreviousState } from './previous-table.ts';

export const partNames = [
  'user name',
  'profile',
  'email',
  'phone',
  'password',
  'TOTP secret',
  'linked logins',
  'metadata',
  'state',
  'roles',
  'organization',
] as const;
export type Part = (typeof partNames)[number];

/** Characters of base64url: 24 bits distinguish two values of one part. */
const digits = 4;

/** `key` is that of the fingerprints. All plain passwords have the same fingerprint. */
export function fingerprintParts(key: string, record: UserRecord | MachineRecord) {
  const texts = textsOf(record);
  return partNames.map((part) => fingerprintPart(key, part, texts[part])).join('');
}

const fingerprintPart = (key: string, part: Part, text: string) =>
  hash('sha256', `${key}\n${part}\n${text}`, 'base64url').slice(0, digits);

/** Returns the fingerprint of one part from what `fingerprintParts` returned. */
function pickPart(parts: string, part: Part) {
  const at = partNames.indexOf(part) * digits;
  return parts.slice(at, at + digits);
}

/** Returns the fingerprints of a user whose state has changed. */
export function withState({ key, parts }: PreviousState, state: string) {
  const at = partNames.indexOf('state') * digits;
  return parts.slice(0, at) + fingerprintPart(key, 'state', state) + parts.slice(at + digits);
}

type Left = Pick<PreviousState, 'key' | 'parts' | 'older'>;

/**
 * Reports whether a part differs from what the previous run left or may have left. True for an unknown part. A user who exists
 * although its creation had no answer was created whole, and was active at first.
 */
export function isNewPart({ key, parts, older }: Left, record: UserRecord | MachineRecord, part: Part) {
  const now = fingerprintPart(key, part, textsOf(record)[part]);
  const left = part === 'state' ? older : older.filter((one) => one !== '');
  return [parts, ...left].some((one) => pickPart(one, part) !== now);
}

/**
 * Reports whether a part is as a previous run left it or may have left it. Users whom it may have created were active at first.
 */
export function isLeftPart({ key, parts, older }: Left, part: Part, text: string) {
  if (part === 'state' && text === 'active' && older.includes('')) return true;
  const found = fingerprintPart(key, part, text);
  return [parts, ...older].some((one) => pickPart(one, part) === found);
}

export function textsOf(record: UserRecord | MachineRecord): Readonly<Record<Part, string>> {
  const { userName, state } = record;
  const rest = {
    'user name': userName.trim(),
    metadata: metadataText(record.metadata.map(encodeMetadataEntry)),
    state,
    roles: record.grants ?? '',
    organization: record.orgId ?? '',
  };
  if (record.kind === 'machine') {
    const { name, description } = record;
    const none = { email: '', phone: '', password: '', 'TOTP secret': '', 'linked logins': '' };
    return { ...rest, ...none, profile: JSON.stringify([name, description]) };
  }
  const { givenName, familyName, displayName, phone, links } = record;
  return {
    ...rest,
    profile: JSON.stringify([
      givenName,
      familyName,
      record.nickName,
      displayName || `${givenName} ${familyName}`,
      record.language || unknownLanguage,
      `GENDER_${record.gender.toUpperCase()}`,
    ]),
    email: stateText(record.email.trim(), record.emailVerified),
    phone: stateText(phone, record.phoneVerified),
    password: passwordText(record),
    'TOTP secret': record.otpSecret,
    'linked logins': links
      .map(({ configId, externalUserId }) => JSON.stringify([configId, externalUserId]))
      .toSorted()
      .join('\n'),
  };
}

/** Returns the same text for all plain passwords, whose hash is made anew each time. A placeholder is no password of the user. */
function passwordText({ passwordHash, plainPassword }: UserRecord) {
  if (plainPassword !== '') return 'plain';
  return isRealHash(passwordHash) ? passwordHash : '';
}

/** Returns the parts that `GET /v2/users` shows, which are all but secrets and lists. */
export function shownTexts({
  username,
  state,
  human,
  machine,
}: UserV2): Readonly<Partial<Record<Part, string>>> {
  const shared = { 'user name': username.trim(), state: shownStates[state] ?? 'active' };
  if (machine !== undefined)
    return { ...shared, profile: JSON.stringify([machine.name, machine.description]) };
  const { profile, email, phone } = human ?? {};
  const { givenName = '', familyName = '', nickName = '', displayName = '' } = profile ?? {};
  const { preferredLanguage = '', gender = 'GENDER_UNSPECIFIED' } = profile ?? {};
  const language = preferredLanguage || unknownLanguage;
  return {
    ...shared,
    profile: JSON.stringify([givenName, familyName, nickName, displayName, language, gender]),
    email: stateText(email?.email ?? '', email?.isVerified ?? false),
    phone: stateText(phone?.phone ?? '', phone?.isVerified ?? false),
  };
}

const shownStates: Readonly<Partial<Record<UserV2['state'], string>>> = {
  USER_STATE_INACTIVE: 'inactive',
  USER_STATE_LOCKED: 'locked',
};

/** The service shows a language that it does not know as undetermined. */
const unknownLanguage = 'und';

/** Without an address or a number there is nothing to verify. */
const stateText = (text: string, isVerified: boolean) =>
  text === '' ? '' : `${text} ${isVerified ? 'verified' : 'unverified'}`;

/** Values are in base64. */
export const metadataText = (metadata: readonly { readonly key: string; readonly value: string }[]) =>
  metadata
    .map(({ key, value }) => JSON.stringify([key, value]))
    .toSorted()
    .join('\n');
