/** The columns that need no mapping: a file that has these is read as it is. */
import type { Mapping } from './mapping/schema.ts';

/** Sources without a built-in mapping. */
export const unmapped: ReadonlySet<string> = new Set(['csv', 'json', 'sql']);

export const defaultMapping: Mapping = {
  idport: 1,
  source: { columns: 'optional' },
  user: {
    id: ['id', 'userId', 'user_id', 'uuid'],
    userName: ['userName', 'username', 'user_name', 'login'],
    email: ['email', 'emailAddress', 'email_address', 'mail'],
    emailVerified: {
      any: [
        { column: 'emailVerified' },
        { column: 'email_verified' },
        { present: 'email_verified_at' },
        { present: 'confirmed_at' },
      ],
    },
    givenName: ['givenName', 'given_name', 'firstName', 'first_name'],
    familyName: ['familyName', 'family_name', 'lastName', 'last_name'],
    fullName: ['fullName', 'full_name', 'name'],
    nickName: ['nickName', 'nickname'],
    displayName: ['displayName', 'display_name'],
    language: ['language', 'preferredLanguage', 'locale'],
    gender: 'gender',
    phone: ['phone', 'phoneNumber', 'phone_number'],
    phoneVerified: { any: [{ column: 'phoneVerified' }, { column: 'phone_verified' }] },
    state: {
      inactive: {
        any: [
          { column: 'disabled' },
          { column: 'blocked' },
          { column: 'active', is: ['0', 'f', 'false', 'no'] },
        ],
      },
    },
    otp: { from: ['otpSecret', 'otp_secret', 'totpSecret', 'totp_secret'] },
  },
  password: {
    from: [
      'passwordHash',
      'password_hash',
      'hashedPassword',
      'hashed_password',
      'password_digest',
      'encrypted_password',
    ],
    format: 'auto',
    pepper: 'unknown',
    prehash: 'unknown',
  },
};
