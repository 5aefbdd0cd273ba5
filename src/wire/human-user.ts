/**
 * Request and response of the one-by-one import; `importHumanUserRequest` is also the record inside a bulk import.
 */
import type { z } from 'zod';
import { objectDetails } from './details.ts';
import { choice, duration, flag, list, message, required, text } from './message.ts';

export const genders = ['GENDER_UNSPECIFIED', 'GENDER_FEMALE', 'GENDER_MALE', 'GENDER_DIVERSE'] as const;
export type GenderName = (typeof genders)[number];

const goName = 'ImportHumanUserRequest';

export const importHumanUserRequest = message(goName, {
  userName: text({ min: 1, max: 200 }),
  profile: required(
    message(`${goName}_Profile`, {
      firstName: text({ min: 1, max: 200 }),
      lastName: text({ min: 1, max: 200 }),
      nickName: text({ max: 200 }),
      displayName: text({ max: 200 }),
      preferredLanguage: text({ max: 10 }),
      gender: choice(genders),
    }),
  ),
  email: required(
    message(`${goName}_Email`, {
      email: text({ min: 1, max: 200 }),
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
      configId: text({ min: 1, max: 200 }),
      externalUserId: text({ min: 1, max: 200 }),
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
  details: objectDetails.optional(),
  passwordlessRegistration: message('ImportHumanUserResponse_PasswordlessRegistration', {
    link: text(),
    lifetime: duration(),
    expiration: duration(),
  }).optional(),
});
