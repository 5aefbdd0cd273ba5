/** Creates users (`_import` in version 1, `AddHumanUser` and `CreateUser` in version 2) and changes them (version 2). */
import { isDeepStrictEqual } from 'node:util';
import { details } from '../../wire/details.ts';
import { grpcCodes } from '../../wire/errors.ts';
import {
  duration,
  flag,
  message,
  optionalText,
  required,
  shortText,
  text,
  timestamp,
} from '../../wire/message.ts';
import { requirePermission } from '../auth.ts';
import { type Call, management, users } from '../method.ts';
import { existing, requireStorable, ServiceError, refuseIf, requireUnique } from '../errors.ts';
import { originOf } from '../limits/connection.ts';
import { defaultNotification } from '../orgs.ts';
import type { UserRow } from '../store/rows.ts';
import { findOrg } from '../store/store.ts';
import { changeUser, defined, metadataValue, notify, removeMetadata, setMetadata } from '../users/change.ts';
import { readEmail, readLanguageTag, readPhoneNumber } from '../users/contact.ts';
import { checkTemplate, createHuman, createMachine, importHuman, sendCode } from '../users/create.ts';
import { checkHash, checkPassword, hashNewPassword } from '../users/password.ts';
import { checkReservedDomain, findNameOwner } from '../users/search.ts';
import { addDetails, changeDetails, displayNameOf } from '../users/show.ts';
import { findUser, requireOver } from './users.ts';
import * as wire from '../../wire/create-user.ts';

/** Codes that an answer contains because the request asks for them. */
const codes = { emailCode: optionalText, phoneCode: optionalText };

async function addHuman(call: Call, { human, ...request }: wire.CreateUser) {
  const metadata = metadataOf(request.metadata, human!.metadata);
  const { user, emailCode, phoneCode } = await createHuman(
    call,
    orgOf(call, request.organizationId),
    { ...human!, userId: request.userId, username: request.username, metadata },
    () => requirePermission(call, request.organizationId, 'user.write'),
  );
  return { id: user.id, creationDate: user.created, emailCode, phoneCode };
}

function addMachine(call: Call, request: wire.CreateUser, machine: NonNullable<wire.CreateUser['machine']>) {
  const org = orgOf(call, request.organizationId);
  requirePermission(call, org.id, 'user.write');
  const user = createMachine(call, org, call.caller.user.id, {
    userId: request.userId,
    userName: request.username ?? request.userId ?? call.store.nextId(),
    ...machine,
  });
  setMetadata(call, user, request.metadata);
  return { id: user.id, creationDate: user.created };
}

/** Joins the metadata of a request. The field inside `human` is the older one. Throws if both are set. */
export function metadataOf<Entry>(own: readonly Entry[], ofHuman: readonly Entry[]) {
  refuseIf(own.length > 0 && ofHuman.length > 0, 'USERv2-j0z7uy');
  return [...own, ...ofHuman];
}

/** Returns the organization that receives a user. Throws if it does not exist or was removed. */
export const orgOf = ({ store }: Call, id: string) => existing(store.orgs.get(id), 'COMMAND-QXPGs');

/** How long the link for a passkey is valid. */
const linkLifetime = '3600s';

type Change = Partial<wire.ChangedHuman> & { readonly username?: string | undefined };

export const writeUserMethods = [
  users('AddHumanUser', 'POST /v2/users/human', 'user.write', {
    request: wire.addHumanUserRequest,
    response: { userId: text, details, ...codes },
    org({ organization }, { store }) {
      if (organization?.orgDomain === undefined) return organization?.orgId;
      return store.orgs.by('verified', organization.orgDomain.toLowerCase())[0]?.id ?? organization.orgDomain;
    },
    async handle(call, request) {
      const org = orgOf(call, call.orgId);
      const { user, emailCode, phoneCode } = await createHuman(call, org, request);
      return { userId: user.id, details: changeDetails(user), emailCode, phoneCode };
    },
  }),
  users('CreateUser', 'POST /v2/users/new', 'authenticated', {
    request: wire.createUserRequest,
    response: { id: text, creationDate: timestamp, ...codes },
    handle: (call, request) =>
      request.machine === undefined ? addHuman(call, request) : addMachine(call, request, request.machine),
  }),
  management('ImportHumanUser', 'POST /management/v1/users/human/_import', 'user.write', {
    request: wire.importHumanUserRequest,
    response: {
      userId: text,
      details,
      passwordlessRegistration: {
        link: text,
        lifetime: duration,
        expiration: duration,
      },
    },
    async handle(call, request) {
      const target = { orgId: call.orgId, editor: call.caller.user.id, userId: '' };
      const { user, passwordless } = await importHuman(call, target, request);
      const query = new URLSearchParams({ userID: user.id, orgID: user.orgId, ...passwordless });
      return {
        userId: user.id,
        details: addDetails(user),
        passwordlessRegistration: passwordless && {
          link: `${originOf(call.http)}/ui/login/login/passwordless/init?${query.toString()}`,
          lifetime: linkLifetime,
          expiration: linkLifetime,
        },
      };
    },
  }),
  users('UpdateHumanUser', 'PUT /v2/users/human/:userId', 'authenticated', {
    request: wire.updateHumanUserRequest,
    response: { details, ...codes },
    async handle(call, { userId, ...change }) {
      const { user, ...codes } = await changeHuman(call, userId, change);
      return { details: changeDetails(user), ...codes };
    },
  }),
  users('UpdateUser', 'PATCH /v2/users/:userId', 'authenticated', {
    request: wire.updateUserRequest,
    response: wire.updateUserResponse,
    async handle(call, { userId, username, human, machine, metadata }) {
      if (human === undefined && machine === undefined) {
        throw new ServiceError(grpcCodes.unimplemented, 'user type is not implemented', { id: '' });
      }
      const entries = metadataOf(metadata, human?.metadata ?? []);
      const { user, ...codes } =
        human === undefined
          ? { user: changeMachine(call, findOfKind(call, userId, 'machine'), username, machine!) }
          : await changeHuman(call, userId, { ...human, username });
      const { changed = user.created } = changeMetadata(call, user, entries);
      return { changeDate: changed, ...codes };
    },
  }),
  users('SetPassword', 'POST /v2/users/:userId/password', 'authenticated', {
    request: {
      newPassword: required(message('Password', { password: shortText, changeRequired: flag })),
      ...wire.passwordProof,
    },
    async handle(call, { userId, newPassword: password, ...proof }) {
      const change = { password: { password, hashedPassword: undefined, ...proof } };
      return changeDetails((await changeHuman(call, userId, change)).user);
    },
  }),
];

function findOfKind(call: Call, id: string, kind: UserRow['kind']) {
  const user = requireOver(call, findUser(call, id, 'COMMAND-ugjs0upun6'), 'user.write');
  refuseIf(user.kind !== kind, 'COMMAND-ugjs0upun6');
  return user;
}

/** Changes a human user. Returns the new row, and the codes that the answer contains. */
async function changeHuman(call: Call, id: string, change: Change) {
  const before = findOfKind(call, id, 'human');
  const password = change.password && (await newPassword(call, before, change.password));
  // Hashing takes time, so the user may have been changed or deleted meanwhile.
  const row = findOfKind(call, id, 'human');
  const next: Partial<UserRow> = {
    ...profileOf(call, row, change),
    ...emailOf(call, row, change),
    ...phoneOf(call, row, change),
    ...(password && {
      passwordHash: password.hash,
      // Always later than the creation, even within the same millisecond.
      passwordChanged: Math.max(call.store.now(), row.created + 1),
      passwordChangeRequired: password.changeRequired || undefined,
      failedAttempts: undefined,
    }),
  };
  requireStorable(next.userName, next.firstName, next.lastName, next.email, next.displayName);
  const same = isDeepStrictEqual(defined({ ...row, ...next }), defined(row));
  const user = same ? row : changeUser(call, row, next);
  const policy = findOrg(call.store, user.orgId)?.notificationPolicy ?? defaultNotification;
  if (password !== undefined && user.emailVerified && policy.passwordChange) {
    notify(call, user, 'password-changed', 'password-changed');
  }
  const isNew = (way: 'emailCode' | 'phoneCode') => next[way] !== undefined && next[way] !== row[way];
  return {
    user,
    emailCode: isNew('emailCode') ? sendCode(call, user, 'email') : undefined,
    phoneCode: isNew('phoneCode') ? sendCode(call, user, 'phone') : undefined,
  };
}

/** A generated display name keeps its value when the names change. */
function profileOf(
  call: Call,
  row: UserRow,
  { username, profile = { gender: 'GENDER_UNSPECIFIED' } }: Change,
) {
  const { givenName: firstName = row.firstName, familyName: lastName = row.lastName, gender } = profile;
  const { preferredLanguage: language, nickName = row.nickName } = profile;
  const { displayName = displayNameOf(row) } = profile;
  return {
    userName: freeName(call, row, username),
    firstName,
    lastName,
    language: language === undefined ? row.language : readLanguageTag(language),
    nickName,
    displayName: displayName === `${firstName} ${lastName}` ? undefined : displayName,
    gender: gender === 'GENDER_UNSPECIFIED' ? row.gender : gender,
  };
}

/** Returns a new code for a changed address or number, or undefined if it is verified at once. */
const newCode = ({ store }: Call, contact: { returnCode?: unknown; isVerified?: unknown }) =>
  contact.isVerified ? undefined : { at: store.now(), returned: contact.returnCode !== undefined };

function emailOf(call: Call, row: UserRow, { email }: Change) {
  if (email === undefined) return {};
  checkTemplate(email.sendCode);
  const address = readEmail(email.email);
  const isNew = address !== row.email;
  return {
    email: address,
    emailVerified: email.isVerified === true || (!isNew && row.emailVerified),
    emailCode: isNew ? newCode(call, email) : row.emailCode,
  };
}

/** An empty number removes the phone. */
function phoneOf(call: Call, row: UserRow, { phone }: Change) {
  if (phone === undefined) return {};
  if (phone.phone === '') return { phone: undefined, phoneVerified: undefined, phoneCode: undefined };
  const number = readPhoneNumber(phone.phone);
  const isNew = number !== row.phone;
  return {
    phone: number,
    phoneVerified: phone.isVerified === true || (!isNew && row.phoneVerified === true),
    phoneCode: isNew ? newCode(call, phone) : row.phoneCode,
  };
}

function changeMachine(
  call: Call,
  row: UserRow,
  username: string | undefined,
  { name, description }: NonNullable<wire.UpdateUser['machine']>,
) {
  const userName = freeName(call, row, username);
  requireStorable(userName, name, description);
  const changed = { userName, ...defined({ name, description }) };
  return isDeepStrictEqual({ ...row, ...changed }, row) ? row : changeUser(call, row, changed);
}

/** Sets metadata. An empty value removes its key. */
function changeMetadata(call: Call, user: UserRow, entries: wire.UpdateUser['metadata']) {
  const set = entries.filter(({ value }) => value !== '');
  const row = setMetadata(call, user, set);
  const gone = entries.flatMap(({ key, value }) =>
    value === '' && metadataValue(row, key) !== undefined ? key : [],
  );
  return gone.length === 0 ? row : removeMetadata(call, row, gone);
}

/** Returns the new hash. A given hash is stored as is; the organization's policy only applies to plain text passwords. */
async function newPassword(call: Call, user: UserRow, change: NonNullable<Change['password']>) {
  const { password, hashedPassword, currentPassword } = change;
  refuseIf(user.status === 'initial', 'COMMAND-M9dse');
  refuseIf(change.verificationCode !== undefined, 'COMMAND-2M9fs');
  if (currentPassword !== undefined) await checkPassword(call, user, currentPassword);
  if (hashedPassword !== undefined) {
    checkHash(call, hashedPassword.hash);
    return hashedPassword;
  }
  const { password: plain, changeRequired } = password!;
  return { hash: await hashNewPassword(call, findOrg(call.store, user.orgId)!, plain, 'v1'), changeRequired };
}

function freeName({ store }: Call, row: UserRow, asked = row.userName) {
  const userName = asked.trim();
  if (userName === row.userName) return userName;
  const org = findOrg(store, row.orgId)!;
  // As in the service, a name with only one character before its domain is not checked.
  if (userName.lastIndexOf('@') > 1) checkReservedDomain(store, org, userName, 'COMMAND-Di2ei');
  const owner = findNameOwner(store, org, userName);
  requireUnique(owner !== undefined && owner.id !== row.id, 'User');
  return userName;
}
