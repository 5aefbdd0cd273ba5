/** Defines the compared fields: as the source expects them and as the target shows them, in the order of `fields`. */
import { messagesOf } from '../../records/messages.ts';
import type { AcceptedRecord, UserRecord } from '../../records/user.ts';
import type { UserV1 } from '../../wire/user.ts';

/** Fields that the list of users shows. The names are those of the output. */
export const listedFields = [
  'user name',
  'first name',
  'last name',
  'nick name',
  'display name',
  'language',
  'gender',
  'email',
  'email verified',
  'phone',
  'phone verified',
  'state',
  'name',
  'description',
  'organization',
] as const;

/** Fields that no list of users shows. An export has them, or a call for each user. */
export const askedFields = ['metadata', 'links', 'password', 'TOTP'] as const;
export type AskedField = (typeof askedFields)[number];
/** Fields that the list of users does not show. Grants have a list of their own. */
export const detailFields = [...askedFields, 'grants'] as const;
export type DetailField = (typeof detailFields)[number];

export const fields: readonly string[] = [...listedFields, ...detailFields];

/** Normalizes a language. The service stores one that it cannot read as undetermined. */
const language = (tag: string) => (tag === 'und' ? '' : tag.toLowerCase());

type Listed = { readonly [Field in (typeof listedFields)[number]]?: string | undefined };
/** Normalizes blanks. Calls for one user trim names. Bulk imports keep their blanks, also in a display name made of two names. */
const listed = (values: Listed) =>
  listedFields.map((field) => {
    const text = (values[field] ?? (field.endsWith(' verified') ? 'false' : '')).trim();
    return field === 'display name' ? text.replaceAll(/ {2,}/g, ' ') : text;
  });

/** Returns the fields as the service shows the user after an import. The organization is empty if all users are in one. */
export function expectListed(record: AcceptedRecord, organization: string) {
  // User names are compared with regard to case. Logins ignore it, but users see how their name is written.
  const { userName } = record;
  if (record.kind === 'machine') {
    const { name, description, state } = record;
    return listed({ 'user name': userName, state, name, description, organization });
  }
  return listed({
    'user name': userName,
    'first name': record.givenName,
    'last name': record.familyName,
    'nick name': record.nickName,
    'display name': record.displayName || `${record.givenName} ${record.familyName}`,
    language: language(record.language),
    gender: record.gender === 'unspecified' ? '' : record.gender,
    email: record.email,
    'email verified': String(record.emailVerified),
    phone: record.phone,
    'phone verified': String(record.phone !== '' && record.phoneVerified),
    // A one-by-one import locks an inactive user who has not answered the first email, because it cannot be deactivated.
    state: record.state === 'inactive' && startsInitial(record) ? 'kept out' : record.state,
    organization,
  });
}

/** Reports whether the user starts in the initial state if created by version 1 or in bulk. */
const startsInitial = (record: UserRecord) => messagesOf(record, 'import').email.startsWith('init-');

/** Reports whether a verified address may arrive unverified: if it sends an initialization email, the service drops the flag. */
export const mayArriveUnverified = (record: AcceptedRecord) =>
  record.kind === 'human' && record.emailVerified && startsInitial(record);

/** Returns for each field all texts that would be right. The last one allows for a verified address that arrived unverified. */
export function showListed({ userName, state, human, machine }: UserV1, organization = '') {
  const { profile, email, phone } = human ?? {};
  const shown = listed({
    'user name': userName,
    'first name': profile?.firstName,
    'last name': profile?.lastName,
    'nick name': profile?.nickName,
    'display name': profile?.displayName,
    language: language(profile?.preferredLanguage ?? ''),
    gender: genders[String(profile?.gender)],
    email: email?.email,
    'email verified': String(email?.isEmailVerified ?? false),
    phone: phone?.phone,
    'phone verified': String(phone?.isPhoneVerified ?? false),
    name: machine?.name,
    description: machine?.description,
    organization,
  });
  return shown.map((text, at) => {
    if (at === statePlace) return states[String(state)] ?? [String(state)];
    return at === emailVerifiedPlace && text === 'false' && state !== 'USER_STATE_ACTIVE'
      ? ['false', 'true']
      : [text];
  });
}

const emailVerifiedPlace = listedFields.indexOf('email verified');

export const statePlace = listedFields.indexOf('state');

/** States that can be expected. There may be no more than four. */
export const stateTexts = ['active', 'inactive', 'locked', 'kept out'];

/** Further state of a user at the target: the user has to answer an email first. */
export const initialState = 'initial';

const states: Readonly<Record<string, readonly string[]>> = {
  USER_STATE_ACTIVE: ['active'],
  // Becomes active when the user answers the email, and cannot sign in until then.
  USER_STATE_INITIAL: ['active', initialState],
  USER_STATE_INACTIVE: ['inactive', 'kept out'],
  USER_STATE_LOCKED: ['locked', 'kept out'],
};

const genders: Readonly<Record<string, string>> = {
  GENDER_FEMALE: 'female',
  GENDER_MALE: 'male',
  GENDER_DIVERSE: 'diverse',
};
