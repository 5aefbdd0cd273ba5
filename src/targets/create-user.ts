/** Writes a record as the body of CreateUser (`POST /v2/users/new`): the whole user in one call, with our own id. */
import type { AcceptedRecord, IdpLink, UserRecord } from '../records/user.ts';
import { encodeMetadataEntry } from './human-user.ts';

export interface CreateUserOptions {
  readonly organizationId: string;
  readonly userId: string;
  /** Makes the service send an email to unverified addresses, with its own link or with this one. */
  readonly sendVerification?: true | { readonly urlTemplate: string } | undefined;
}

/** Longest hash that this call accepts, in characters. */
export const longestHash = 200;

/** Without `sendVerification`, the service sends the user nothing: no email and no SMS. */
export function encodeCreateUser(
  record: AcceptedRecord,
  { organizationId, userId, sendVerification }: CreateUserOptions,
) {
  const metadata = record.metadata.map(encodeMetadataEntry);
  const head = {
    organizationId,
    userId,
    username: record.userName,
    ...(metadata.length !== 0 && { metadata }),
  };
  if (record.kind === 'machine') {
    const { name, description } = record;
    return JSON.stringify({ ...head, machine: { name, ...given({ description }) } });
  }
  const { email, emailVerified, phone, phoneVerified } = record;
  const verification =
    emailVerified || sendVerification === undefined
      ? // An explicit `isVerified` also says that there is nothing to verify now, so the user is active at once.
        { isVerified: emailVerified }
      : { sendCode: sendVerification === true ? {} : sendVerification };
  return JSON.stringify({
    ...head,
    human: {
      profile: encodeProfile(record),
      email: { email, ...verification },
      // A code that is returned is not sent to the user.
      ...(phone !== '' && {
        phone: { phone, ...(phoneVerified ? { isVerified: true } : { returnCode: {} }) },
      }),
      ...encodePassword(record),
      ...given({ totpSecret: record.otpSecret }),
      ...(record.links.length !== 0 && { idpLinks: record.links.map(encodeIdpLink) }),
    },
  });
}

/** The service itself hashes a password in plain text. */
export function encodePassword({ passwordHash: hash, plainPassword: password }: UserRecord): object {
  if (hash !== '') return { hashedPassword: { hash } };
  return password === '' ? {} : { password: { password } };
}

export function encodeProfile(user: UserRecord): Readonly<Record<string, string>> {
  const { givenName, familyName, nickName, displayName, language, gender } = user;
  return {
    givenName,
    familyName,
    ...given({ nickName, displayName, preferredLanguage: language }),
    ...(gender !== 'unspecified' && { gender: `GENDER_${gender.toUpperCase()}` }),
  };
}

/** The service requires a user name. */
export const encodeIdpLink = ({ configId, externalUserId, displayName }: IdpLink) => ({
  idpId: configId,
  userId: externalUserId,
  userName: displayName || externalUserId,
});

/** Leaves out empty texts. */
const given = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
