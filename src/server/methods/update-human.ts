/** Changes of human users by version 2: names, email, phone, and the password as text or as a hash. */
import { detailsResponse } from '../../wire/details.ts';
import {
  setPasswordRequest,
  updateHumanUserRequest,
  updateHumanUserResponse,
} from '../../wire/create-user.ts';
import type { UpdateHumanUser } from '../../wire/create-user.ts';
import { grpcCodes } from '../../wire/errors.ts';
import type { Call } from '../context.ts';
import { refusal, requireStorable } from '../errors.ts';
import { method } from '../method.ts';
import type { UserMore, UserRow } from '../store/rows.ts';
import { changeUser } from '../users/change.ts';
import { readEmail, readLanguageTag, readPhoneNumber } from '../users/contact.ts';
import { sendCodes } from '../users/create-human.ts';
import { checkReservedDomain, findNameOwner, nameTaken } from '../users/names.ts';
import { checkHash, checkPassword, hashNewPassword } from '../users/password.ts';
import { changeDetails } from '../users/show.ts';
import { findUser, requireOver } from './users-v2.ts';

const service = '/zitadel.user.v2.UserService';

type NewPassword = NonNullable<UpdateHumanUser['password']>;

export const updateHumanMethods = [
  method({
    rpc: `${service}/UpdateHumanUser`,
    routes: ['PUT /v2/users/human/{user_id}'],
    permission: 'authenticated',
    request: updateHumanUserRequest,
    response: updateHumanUserResponse,
    async handle(call, request) {
      const user = findHuman(call, request.userId);
      const password = request.password && (await newPassword(call, user, request.password));
      const row = call.store.users.get(user.id) ?? user;
      const changed = changeUser(call, row, changesOf(call, row, request, password));
      return {
        details: changeDetails(changed),
        ...sendCodes(call, changed, { email: request.email, phone: request.phone }),
      };
    },
  }),
  method({
    rpc: `${service}/SetPassword`,
    routes: ['POST /v2/users/{user_id}/password'],
    permission: 'authenticated',
    request: setPasswordRequest,
    response: detailsResponse,
    async handle(call, { userId, newPassword: password, currentPassword, verificationCode }) {
      const user = findHuman(call, userId);
      const change = { password, hashedPassword: undefined, currentPassword, verificationCode };
      const stored = await newPassword(call, user, change);
      const row = call.store.users.get(user.id) ?? user;
      return { details: changeDetails(changeUser(call, row, withPassword(call, row, stored))) };
    },
  }),
];

function findHuman(call: Call, id: string): UserRow {
  const user = findUser(call, id, 'COMMAND-ugjs0upun6');
  requireOver(call, user, 'user.write');
  if (user.kind === 'human') return user;
  throw refusal(grpcCodes.notFound, 'COMMAND-ugjs0upun6', 'Errors.User.NotFound');
}

interface StoredPassword {
  readonly hash: string;
  readonly changeRequired: boolean;
}

/** A hash is stored as it is; the policy of the organization holds for a password in plain text only. */
async function newPassword(call: Call, user: UserRow, change: NewPassword): Promise<StoredPassword> {
  const { password, hashedPassword, currentPassword } = change;
  if (user.status === 'initial') {
    throw refusal(grpcCodes.failedPrecondition, 'COMMAND-M9dse', 'Errors.User.NotInitialised');
  }
  if (change.verificationCode !== undefined) {
    throw refusal(grpcCodes.failedPrecondition, 'COMMAND-2M9fs', 'Errors.User.Code.NotFound');
  }
  if (currentPassword !== undefined) await checkPassword(call, user, currentPassword);
  if (hashedPassword !== undefined) {
    checkHash(call, hashedPassword.hash);
    return hashedPassword;
  }
  const { password: plain, changeRequired } = password!;
  const hash = await hashNewPassword(call, call.store.orgs.get(user.orgId)!, plain);
  return { hash, changeRequired };
}

function withPassword(call: Call, row: UserRow, { hash, changeRequired }: StoredPassword) {
  const { passwordChangeRequired: _, failedAttempts: __, ...more } = row.more ?? {};
  return {
    passwordHash: hash,
    more: {
      ...more,
      // Later than what made the user, also within a millisecond.
      passwordChanged: Math.max(call.settings.clock.now(), row.created + 1),
      ...(changeRequired ? { passwordChangeRequired: true } : {}),
    },
  };
}

function changesOf(
  call: Call,
  row: UserRow,
  { username, profile, email, phone }: UpdateHumanUser,
  password: StoredPassword | undefined,
): Partial<UserRow> {
  const base = password === undefined ? { more: row.more } : withPassword(call, row, password);
  const more: UserMore = {
    ...base.more,
    ...(profile?.nickName === undefined ? {} : { nickName: profile.nickName }),
    ...(profile?.displayName === undefined ? {} : { displayName: profile.displayName }),
    ...(profile === undefined || profile.gender === 'GENDER_UNSPECIFIED' ? {} : { gender: profile.gender }),
    ...(phone === undefined
      ? {}
      : { phone: readPhoneNumber(phone.phone), phoneVerified: phone.isVerified === true }),
  };
  const changes = {
    ...base,
    ...(username === undefined ? {} : { userName: freeName(call, row, username.trim()) }),
    ...(profile === undefined
      ? {}
      : {
          firstName: profile.givenName,
          lastName: profile.familyName,
          language: readLanguageTag(profile.preferredLanguage ?? ''),
        }),
    ...(email === undefined
      ? {}
      : { email: readEmail(email.email), emailVerified: email.isVerified === true }),
    more,
  };
  requireStorable(changes.userName, changes.firstName, changes.lastName, changes.email, more.displayName);
  return changes;
}

function freeName({ store }: Call, row: UserRow, userName: string): string {
  const org = store.orgs.get(row.orgId)!;
  checkReservedDomain(store, org, userName);
  const owner = findNameOwner(store, org, userName);
  if (owner !== undefined && owner.id !== row.id) throw nameTaken();
  return userName;
}
