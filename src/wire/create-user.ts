/** Messages that create and change users: the import of version 1 for one user, and the older and newer calls of version 2. */
import { fieldRules, metadataValueBytes } from '../lib/field-rules.ts';
import {
  type Field,
  bytes,
  choice,
  exclusive,
  flag,
  list,
  message,
  onlyTrue,
  optionalFlag,
  optionalShortText,
  optionalText,
  type Output,
  required,
  ruled,
  shortText,
  text,
  textUpTo,
  timestamp,
} from './message.ts';

export const genders = ['GENDER_UNSPECIFIED', 'GENDER_FEMALE', 'GENDER_MALE', 'GENDER_DIVERSE'] as const;
export type GenderName = (typeof genders)[number];

export const accessTokenTypes = ['ACCESS_TOKEN_TYPE_BEARER', 'ACCESS_TOKEN_TYPE_JWT'] as const;

const goName = 'ImportHumanUserRequest';

/** Request that imports one user; also the user of an entry in a bulk import. */
export const importHumanUserRequest = message(goName, {
  userName: ruled(text, fieldRules.userName),
  profile: required(
    message(`${goName}_Profile`, {
      firstName: ruled(text, fieldRules.firstName),
      lastName: ruled(text, fieldRules.lastName),
      nickName: textUpTo(200),
      displayName: ruled(text, fieldRules.displayName),
      preferredLanguage: textUpTo(10),
      gender: choice(genders),
    }),
  ),
  email: required(
    message(`${goName}_Email`, {
      email: ruled(text, fieldRules.email),
      isEmailVerified: flag,
    }),
  ),
  phone: message(`${goName}_Phone`, {
    phone: ruled(text, { min: 1, max: 50, prefix: '+' }),
    isPhoneVerified: flag,
  }),
  password: text,
  hashedPassword: message(`${goName}_HashedPassword`, { value: text }),
  passwordChangeRequired: flag,
  requestPasswordlessRegistration: flag,
  otpCode: text,
  idps: list(
    message(`${goName}_IDP`, {
      configId: ruled(text, fieldRules.idpConfigId),
      externalUserId: ruled(text, fieldRules.idpExternalUserId),
      displayName: ruled(text, fieldRules.idpDisplayName),
    }),
  ),
  recoveryCodes: list(
    message(
      `zitadel.management.v1.${goName}.RecoveryCode`,
      exclusive('code_type', { raw: optionalShortText, hash: optionalShortText }),
    ),
  ),
});
/** An imported user as a server reads it: complete. */
export type ImportHumanUser = Output<typeof importHumanUserRequest>;

const userV2 = 'zitadel.user.v2';

const sendCode = message('SendEmailVerificationCode', { urlTemplate: optionalShortText });
const returnCode = message('ReturnEmailVerificationCode', {});
const verification = <Verified extends Field>(isVerified: Verified) =>
  exclusive('verification', { sendCode, returnCode, isVerified });

const profileDetails = {
  nickName: ruled(optionalText, { max: 200 }),
  displayName: ruled(optionalText, { max: 200 }),
  preferredLanguage: ruled(optionalText, { max: 10 }),
  gender: choice(genders),
};
const profile = message('SetHumanProfile', {
  givenName: shortText,
  familyName: shortText,
  ...profileDetails,
});

/** Rules of protoc-gen-validate for a part of a host name between two dots, with their error texts. */
const hostRules: readonly (readonly [wrong: RegExp, problem: string])[] = [
  [/^$|^.{64}/, 'hostname part must be non-empty and cannot exceed 63 characters'],
  [/^-/, 'hostname parts cannot begin with hyphens'],
  [/-$/, 'hostname parts cannot end with hyphens'],
  [/[^a-z\d-]/iu, 'hostname parts can only contain alphanumeric characters or hyphens, got'],
];

/** Matches most valid addresses, so that the full check is rarely needed. */
const plainEmail = /^[\w.+-]{1,64}@(?=.{1,63}$)[a-z\d]+(?:[.-][a-z\d]+)*$/i;

function hostProblem(part: string) {
  const found = hostRules.find(([wrong]) => wrong.test(part));
  if (found === undefined) return undefined;
  const [wrong, problem] = found;
  return problem.endsWith('got') ? `${problem} "${wrong.exec(part)![0]}"` : problem;
}

/**
 * Returns what is wrong with an address by the rule of protoc-gen-validate, or undefined. The rule calls net/mail first; it is
 * stricter than net/mail alone and than the calls of version 1.
 */
export function emailProblem(value: string) {
  if (plainEmail.test(value)) return undefined;
  const [, local, host = ''] =
    /^(?:[^<>]*<)?\s*("(?:[^"\\]|\\.)+"|[^\s@<>()]+)@([^\s@<>()]+)\s*>?$/.exec(value) ?? [];
  if (local === undefined) return "mail: missing '@' or angle-addr";
  if (Buffer.byteLength(local) > 64) return 'email address local phrase cannot exceed 64 characters';
  return host
    .split('.')
    .map(hostProblem)
    .find((problem) => problem !== undefined);
}

export function emailRule(value: unknown) {
  const problem = emailProblem(String(value));
  return problem && `value must be a valid email address | caused by: ${problem}`;
}

const email = message(`${userV2}.SetHumanEmail`, {
  email: ruled(text, { min: 1, max: 200, check: emailRule }),
  ...verification(optionalFlag),
});

const phone = message(`${userV2}.SetHumanPhone`, {
  phone: textUpTo(200),
  ...verification(onlyTrue),
});

const password = message('Password', {
  password: shortText,
  changeRequired: flag,
});
const hashedPassword = message('HashedPassword', {
  hash: shortText,
  changeRequired: flag,
});

const idpLink = message('IDPLink', {
  idpId: shortText,
  userId: shortText,
  userName: shortText,
});

export const metadataFields = {
  key: ruled(text, fieldRules.metadataKey),
  value: ruled(bytes, metadataValueBytes),
};
/**
 * Metadata entry of the newer calls. An entry without a value passes the field rules; the call refuses it later, or removes the
 * key.
 */
const metadata = message('Metadata', {
  key: shortText,
  value: ruled(bytes, { max: 500_000 }),
});

const passwordType = (required: boolean) =>
  exclusive('password_type', { password, hashedPassword }, required);

export const addHumanUserRequest = message(`${userV2}.AddHumanUserRequest`, {
  userId: optionalShortText,
  username: optionalShortText,
  organization: message(
    'zitadel.object.v2.Organization',
    exclusive('org', { orgId: optionalText, orgDomain: optionalText }),
  ),
  profile: required(profile),
  email: required(email),
  phone,
  metadata: list(message('SetMetadataEntry', metadataFields)),
  ...passwordType(false),
  idpLinks: list(idpLink),
  totpSecret: optionalShortText,
});
export type AddHumanUser = Output<typeof addHumanUserRequest>;

const human = message(`${userV2}.CreateUserRequest.Human`, {
  profile: required(profile),
  email: required(email),
  phone,
  ...passwordType(false),
  idpLinks: list(idpLink),
  totpSecret: optionalShortText,
  metadata: list(metadata),
});

const machine = message('CreateUserRequest_Machine', {
  name: shortText,
  description: ruled(optionalText, { max: 500 }),
  accessTokenType: choice(accessTokenTypes),
});

export const createUserRequest = message(`${userV2}.CreateUserRequest`, {
  organizationId: shortText,
  userId: optionalShortText,
  username: optionalShortText,
  ...exclusive('user_type', { human, machine }, true),
  metadata: list(metadata),
});
export type CreateUser = Output<typeof createUserRequest>;

export const passwordProof = exclusive('verification', {
  currentPassword: optionalShortText,
  verificationCode: ruled(optionalText, { min: 1, max: 20 }),
});

const setPassword = message(`${userV2}.SetPassword`, { ...passwordType(true), ...passwordProof });

/** Absent fields stay unchanged. */
export const updateHumanUserRequest = message('UpdateHumanUserRequest', {
  userId: shortText,
  username: optionalShortText,
  profile,
  email,
  phone,
  password: setPassword,
});

const goUpdate = 'UpdateUserRequest';
const changedHuman = message(`${goUpdate}_Human`, {
  profile: message(`${goUpdate}_Human_Profile`, {
    givenName: optionalShortText,
    familyName: optionalShortText,
    nickName: optionalShortText,
    displayName: optionalShortText,
    preferredLanguage: ruled(optionalText, { min: 1, max: 10 }),
    gender: choice(genders),
  }),
  email,
  phone,
  password: setPassword,
  metadata: list(metadata),
});
export type ChangedHuman = Output<typeof changedHuman>;

/** Absent fields stay unchanged, in a profile as well. An empty phone and metadata without a value are removed. */
export const updateUserRequest = message(`${userV2}.${goUpdate}`, {
  userId: shortText,
  username: optionalShortText,
  ...exclusive('user_type', {
    human: changedHuman,
    machine: message(`${goUpdate}_Machine`, {
      name: optionalShortText,
      description: ruled(optionalText, { max: 500 }),
    }),
  }),
  metadata: list(metadata),
});

export type UpdateUser = Output<typeof updateUserRequest>;

export const updateUserResponse = message('UpdateUserResponse', {
  changeDate: timestamp,
  emailCode: optionalText,
  phoneCode: optionalText,
});
