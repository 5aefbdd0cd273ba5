/**
 * Request and response of the one-by-one import; `importHumanUserRequest` is also the record inside a bulk import.
 */
import type { z } from 'zod';
import { details } from './details.ts';
import { choice, duration, flag, list, message, required, text, shortText } from './message.ts';

export const genders = ['GENDER_UNSPECIFIED', 'GENDER_FEMALE', 'GENDER_MALE', 'GENDER_DIVERSE'] as const;
export type GenderName = (typeof genders)[number];

const goName = 'ImportHumanUserRequest';

export const importHumanUserRequest = message(goName, {
  userName: shortText(),
  profile: required(
    message(`${goName}_Profile`, {
      firstName: shortText(),
      lastName: shortText(),
      nickName: text({ max: 200 }),
      displayName: text({ max: 200 }),
      preferredLanguage: text({ max: 10 }),
      gender: choice(genders),
    }),
  ),
  email: required(
    message(`${goName}_Email`, {
      email: shortText(),
      isEmailVerified: flag(),
    }),
  ),
  phone: message(`${goName}_Phone`, {
    phone: text({ min: 1, max: 50, prefix: '+' }),
    isPhoneVerified: flag(),
  }).optional(),
  password: text(),
  hashedPassword: message(`${goName}_HashedPassword`, { value: text() }).optional(),
  passwordChangeRequired: flag(),
  requestPasswordlessRegistration: flag(),
  otpCode: text(),
  idps: list(
    message(`${goName}_IDP`, {
      configId: shortText(),
      externalUserId: shortText(),
      displayName: text({ max: 200 }),
    }),
  ),
  recoveryCodes: list(
    message(
      `${goName}_RecoveryCode`,
      {
        raw: text({ min: 1, max: 200, optional: true }),
        hash: text({ min: 1, max: 200, optional: true }),
      },
      {
        fullName: `zitadel.management.v1.${goName}.RecoveryCode`,
        oneofs: [{ name: 'code_type', members: ['raw', 'hash'] }],
      },
    ),
  ),
});
/** What a server reads: complete. */
export type ImportHumanUser = z.output<typeof importHumanUserRequest>;

export const importHumanUserResponse = message('ImportHumanUserResponse', {
  userId: text(),
  details,
  passwordlessRegistration: message('ImportHumanUserResponse_PasswordlessRegistration', {
    link: text(),
    lifetime: duration(),
    expiration: duration(),
  }).optional(),
});
