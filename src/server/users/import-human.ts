/**
 * Imports a human user, with the emails that the service would send. Refusals in the order of the service:
 * organization, id, names, email, phone, reserved domain, password, hash, links, and last what must be unique.
 */
import { emailAtImport } from '../../records/messages.ts';
import { randomBytes } from 'node:crypto';
import type { ImportHumanUser } from '../../wire/human-user.ts';
import type { ServerState } from '../context.ts';
import { refusal, requireStorable } from '../errors.ts';
import { findOrg } from '../orgs.ts';
import type { UserMore, UserRow, UserStatus } from '../store/rows.ts';
import { addUser, known } from './change.ts';
import { readEmail, readLanguageTag, readPhoneNumber } from './contact.ts';
import { checkCreatingLink, checkLinkIsFree } from './links.ts';
import { notifyNewUser } from './notifications.ts';
import { checkReservedDomain, findById, findNameOwner, nameTaken } from './names.ts';
import { checkHash, hashNewPassword } from './password.ts';

export interface ImportTarget {
  readonly orgId: string;
  /** Id of the caller. */
  readonly editor: string;
  /** '' lets the server choose. */
  readonly userId: string;
  /** A state that the import sets after the user was made. */
  readonly state?: 'inactive' | 'locked' | undefined;
}

export interface ImportedHuman {
  readonly user: UserRow;
  /** Where the user was to get a link for a passkey. */
  readonly passwordless: { readonly codeId: string; readonly code: string } | undefined;
}

export async function importHuman(
  state: ServerState,
  target: ImportTarget,
  record: ImportHumanUser,
): Promise<ImportedHuman> {
  const { store } = state;
  const org = findOrg(store, target.orgId);
  if (org === undefined) throw refusal('COMMAND-5N8fs');
  if (target.userId !== '' && findById(store, target.userId) !== undefined) throw idTaken();
  checkProfile(record);
  const email = readEmail(record.email.email);
  const phone = record.phone === undefined ? undefined : readPhoneNumber(record.phone.phone);
  const userName = record.userName.trim();
  checkReservedDomain(store, org, userName);
  // Only hashing a password takes time.
  const hashed = record.password === '' ? '' : await hashNewPassword(state, org, record.password, 'v1');
  const given = record.hashedPassword?.value ?? '';
  // The hash wins, but the password had to be a good one all the same.
  if (given !== '') checkHash(state, given);
  const passwordHash = given === '' ? hashed : given;
  const links = record.idps.map((idp) => ({
    idpId: idp.configId,
    externalUserId: idp.externalUserId,
    displayName: idp.displayName,
  }));
  for (const link of links) checkCreatingLink(store, link);
  if (target.userId !== '' && findById(store, target.userId) !== undefined) throw idTaken();
  if (findNameOwner(store, org, userName) !== undefined) throw nameTaken();
  for (const link of links) checkLinkIsFree(store, link);

  const { firstName, lastName, nickName, displayName } = record.profile;
  requireStorable(target.userId, userName, email, firstName, lastName, nickName, displayName);

  const passwordless = record.requestPasswordlessRegistration;
  const hasSecret = passwordHash !== '' || passwordless;
  const reason = emailAtImport(links.length > 0, record.email.isEmailVerified, hasSecret);
  const user = addUser(state, {
    id: target.userId || store.nextId(),
    orgId: org.id,
    kind: 'human',
    userName,
    status: target.state ?? statusOf(reason),
    sequence: countEvents(record, target),
    editor: target.editor,
    firstName,
    lastName,
    email,
    // With an initialisation code the service drops the flag.
    emailVerified: record.email.isEmailVerified && !reason.startsWith('init-'),
    language: readLanguageTag(record.profile.preferredLanguage),
    passwordHash,
    more: moreOf(record, phone, links),
  });
  notifyNewUser(state, user, reason);
  return {
    user,
    passwordless: passwordless
      ? { codeId: store.nextId(), code: randomBytes(9).toString('base64url') }
      : undefined,
  };
}

const idTaken = () => refusal('COMMAND-ziuna');
const statusOf = (reason: string): UserStatus => (reason.startsWith('init-') ? 'initial' : 'active');

/** Field rules forbid empty names where they apply; a file read in the background comes here without them. */
function checkProfile({ userName, profile }: ImportHumanUser): void {
  if (userName === '') throw refusal('COMMAND-00p2b');
  if (profile.firstName === '') throw refusal('PROFILE-RF5z2');
  if (profile.lastName === '') throw refusal('PROFILE-DSUkN');
}

/** The number of the last event that the service would have written for the user. */
function countEvents(record: ImportHumanUser, target: ImportTarget): number {
  const phone = record.phone === undefined ? 0 : 1;
  const passwordless = record.requestPasswordlessRegistration ? 1 : 0;
  const status = target.state === undefined ? 0 : 1;
  return 2 + record.idps.length + phone + passwordless + status;
}

function moreOf(
  record: ImportHumanUser,
  phone: string | undefined,
  links: UserMore['links'] & readonly unknown[],
): UserMore | undefined {
  const { firstName, lastName, nickName, displayName, gender } = record.profile;
  const changeRequired =
    record.passwordChangeRequired && record.password !== '' && (record.hashedPassword?.value ?? '') === '';
  const more = known({
    nickName: nickName || undefined,
    displayName: displayName === `${firstName} ${lastName}` ? undefined : displayName || undefined,
    gender: gender === 'GENDER_UNSPECIFIED' ? undefined : gender,
    phone,
    phoneVerified: phone === undefined ? undefined : record.phone?.isPhoneVerified === true,
    passwordChangeRequired: changeRequired || undefined,
    links: links.length === 0 ? undefined : links,
  });
  return Object.keys(more).length === 0 ? undefined : more;
}
