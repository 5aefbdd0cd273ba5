/** Marks of the exports of built-in sources, so that they are not taken for those of another one. */
import type { Mark } from './entry.ts';

export interface KnownExport {
  readonly title: string;
  readonly marks: readonly Mark[];
}

export const knownExports: Readonly<Record<string, KnownExport>> = {
  appwrite: {
    title: 'Appwrite',
    marks: [
      ['$id', 'emailVerification'],
      ['$id', 'hashOptions'],
      ['$id', 'registration'],
    ],
  },
  clerk: {
    title: 'Clerk',
    marks: [
      ['password_hasher', 'password_digest'],
      ['primary_email_address', 'first_name'],
      ['verified_email_addresses', 'unverified_email_addresses'],
      ['primary_email_address_id', 'email_addresses'],
    ],
  },
  cognito: {
    title: 'Amazon Cognito',
    marks: [
      ['Username', 'UserStatus'],
      ['Username', 'Attributes'],
      ['userPoolId', 'userStatus'],
      ['userPoolId', 'username'],
      ['cognito:username'],
    ],
  },
  firebase: {
    title: 'Firebase',
    marks: [
      ['localId', 'email'],
      ['localId', 'providerUserInfo'],
      ['localId', 'passwordHash'],
      ['localId', 'createdAt'],
      // The CSV has no titles: id, email, whether it is verified, and two dozen columns more.
      /^[\w-]+,[^,\n]*,(?:true|false)?,(?:[^,\n]*,){24,}[^,\n]*$/m,
    ],
  },
  frontegg: {
    title: 'Frontegg',
    marks: [['tenantIds'], ['mfaEnrolled', 'tenantId'], ['mfaEnrolled', 'verified'], ['tenants.tenantId']],
  },
  fusionauth: {
    title: 'FusionAuth',
    marks: [
      ['encryptionScheme'],
      ['uniqueUsername'],
      ['usernameStatus'],
      ['insertInstant', 'tenantId'],
      ['registrations.applicationId'],
    ],
  },
  okta: {
    title: 'Okta',
    marks: [
      ['profile.login', 'status'],
      ['profile.login', 'credentials'],
    ],
  },
  supabase: {
    title: 'Supabase',
    marks: [
      ['raw_app_meta_data'],
      ['raw_user_meta_data'],
      ['instance_id', 'encrypted_password'],
      ['aud', 'role', 'app_metadata', 'user_metadata'],
      /^(?:COPY|INSERT INTO) "?auth"?\."?users"? \(.*encrypted_password/m,
    ],
  },
};
