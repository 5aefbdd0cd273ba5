/**
 * Request and response of the one-by-one import; `importHumanUserRequest` is also the record inside a bulk import.
 */
import {
  type Output,
  optionalShortText,
  text,
  textUpTo,
  shortText,
  flag,
  choice,
  required,
  list,
  message,
  ruled,
} from './message.ts';

export const genders = ['GENDER_UNSPECIFIED', 'GENDER_FEMALE', 'GENDER_MALE', 'GENDER_DIVERSE'] as const;
export type GenderName = (typeof genders)[number];

const goName = 'ImportHumanUserRequest';

export const importHumanUserRequest = message(goName, {
  userName: shortText,
  profile: required(
    message(`${goName}_Profile`, {
      firstName: shortText,
      lastName: shortText,
      nickName: textUpTo(200),
      displayName: textUpTo(200),
      preferredLanguage: textUpTo(10),
      gender: choice(genders),
    }),
  ),
  email: required(
    message(`${goName}_Email`, {
      email: shortText,
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
      configId: shortText,
      externalUserId: shortText,
      displayName: textUpTo(200),
    }),
  ),
  recoveryCodes: list(
    message(
      `${goName}_RecoveryCode`,
      {
        raw: optionalShortText,
        hash: optionalShortText,
      },
      {
        fullName: `zitadel.management.v1.${goName}.RecoveryCode`,
        oneofs: [{ name: 'code_type', members: ['raw', 'hash'] }],
      },
    ),
  ),
});
/** What a server reads: complete. */
export type ImportHumanUser = Output<typeof importHumanUserRequest>;
