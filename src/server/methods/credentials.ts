/**
 * Credentials: codes for human users (recovery, passkey, password reset, invitation), and service users with their
 * tokens, key files and secrets.
 */
import { maxRecoveryCodes } from '../../lib/field-rules.ts';
import { details } from '../../wire/details.ts';
import {
  bytes,
  choice,
  exclusive,
  list,
  message,
  notZero,
  optionalShortText,
  optionalText,
  ruled,
  text,
  timestamp,
  uint32,
} from '../../wire/message.ts';
import { machineUser } from '../../wire/import.ts';
import { keyType } from '../../wire/org-resources.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';
import { addKey, addSecret, addToken, never } from '../accounts.ts';
import { type Call, management, users } from '../method.ts';
import { existing, refuseIf, refuseLacking } from '../errors.ts';
import type { Notification, UserRow } from '../store/rows.ts';
import { findById } from '../store/store.ts';
import { addRecoveryCodes, changeUser, notify } from '../users/change.ts';
import { checkTemplate, createMachine, lettersAndDigits, randomText } from '../users/create.ts';
import { addDetails, changeDetails } from '../users/show.ts';
import { orgOf } from './write-users.ts';
import { readUserOfCall, requireOver, userOfCall } from './users.ts';

const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const withoutLookalikes = '0123456789abcdefghjkmnpqrstvwxyz';

const urlTemplate = optionalShortText;

/** Returns a human user whom the caller may change. Throws `errorId` if there is no such user. */
function humanOf(call: Call, id: string, errorId: ServiceErrorId) {
  const user = findById(call.store, id);
  if (user !== undefined) requireOver(call, user, 'user.write');
  return existing(user?.kind === 'human' ? user : undefined, errorId);
}

/** Counts the event. Unless the answer returns the code, records the message to the user. */
function recordCode(call: Call, user: UserRow, kind: Notification['kind'], returned: unknown, to?: string) {
  if (returned === undefined) notify(call, user, kind, 'requested', to);
  return changeDetails(changeUser(call, user, {}));
}

function machineOnly(user: UserRow) {
  refuseIf(user.kind !== 'machine', 'COMMAND-Df2f1');
  return user;
}

/** Returns an expiration date in milliseconds since 1970. Throws if it has passed. */
export function expiry({ store }: Call, date: string, errorId: ServiceErrorId = 'DOMAIN-dv3t5') {
  const expires = date === '' ? never : Date.parse(date);
  refuseIf(expires <= store.now(), errorId);
  return expires;
}

/** Counts a new credential as an event of its user. */
function countEvent({ store }: Call, id: string) {
  const user = existing(store.users.get(id), 'COMMAND-Dggw2');
  const counted = store.users.put({ ...user, sequence: user.sequence + 1 });
  return addDetails({ ...counted, changed: store.now() });
}

export const credentialMethods = [
  users('GenerateRecoveryCodes', 'POST /v2/users/:userId/recovery_codes', 'authenticated', {
    request: {
      count: uint32,
    },
    response: {
      details,
      recoveryCodes: list(text),
    },
    async handle(call, { userId, count }) {
      const find = () => humanOf(call, userId, 'COMMAND-uXHNj');
      find();
      refuseIf(count === 0 || count > maxRecoveryCodes, 'COMMAND-7c0nx');
      const half = () => randomText(5, withoutLookalikes);
      const recoveryCodes = Array.from({ length: count }, () => `${half()}-${half()}`);
      const hashes = await Promise.all(recoveryCodes.map(call.settings.hashPassword));
      // Hashing takes time: another call may have added codes, or deleted the user.
      const user = find();
      refuseIf((user.recoveryCodes?.length ?? 0) + count > maxRecoveryCodes, 'COMMAND-8f2k9');
      addRecoveryCodes(call, user, hashes);
      // The service answers with the details of the creation.
      return { details: changeDetails({ created: user.created, orgId: user.orgId }), recoveryCodes };
    },
  }),
  users(
    'CreatePasskeyRegistrationLink',
    'POST /v2/users/:userId/passkeys/registration_link',
    'authenticated',
    {
      request: exclusive('medium', {
        sendLink: message('SendPasskeyRegistrationLink', { urlTemplate }),
        returnCode: message('ReturnPasskeyRegistrationCode', {}),
      }),
      response: {
        details,
        code: { id: text, code: text },
      },
      handle(call, { userId, sendLink, returnCode }) {
        checkTemplate(sendLink);
        const user = humanOf(call, userId, 'COMMAND-uXHNj');
        const code = returnCode && {
          id: call.store.nextId(),
          code: randomText(12, lettersAndDigits),
        };
        return { details: recordCode(call, user, 'passwordless', code), code };
      },
    },
  ),
  users('PasswordReset', 'POST /v2/users/:userId/password_reset', 'authenticated', {
    request: exclusive('medium', {
      sendLink: message('SendPasswordResetLink', {
        notificationType: choice([
          'NOTIFICATION_TYPE_Unspecified',
          'NOTIFICATION_TYPE_Email',
          'NOTIFICATION_TYPE_SMS',
        ]),
        urlTemplate,
      }),
      returnCode: message('ReturnPasswordResetCode', {}),
    }),
    response: {
      details,
      verificationCode: optionalText,
    },
    handle(call, { userId, sendLink, returnCode }) {
      checkTemplate(sendLink);
      const user = humanOf(call, userId, 'COMMAND-SAF4f');
      refuseIf(user.status === 'initial', 'COMMAND-Sfe4g');
      const code = returnCode && randomText(6, capitals);
      const phone = sendLink?.notificationType === 'NOTIFICATION_TYPE_SMS' ? user.phone : undefined;
      return { details: recordCode(call, user, 'password-reset', code, phone), verificationCode: code };
    },
  }),
  users('CreateInviteCode', 'POST /v2/users/:userId/invite_code', 'authenticated', {
    request: exclusive('verification', {
      sendCode: message('SendInviteCode', {
        urlTemplate,
        applicationName: optionalShortText,
      }),
      returnCode: message('ReturnInviteCode', {}),
    }),
    response: {
      details,
      inviteCode: optionalText,
    },
    handle(call, { userId, sendCode, returnCode }) {
      checkTemplate(sendCode);
      const user = humanOf(call, userId, 'COMMAND-Wgvn4');
      refuseIf(user.passwordHash !== '' || (user.links ?? []).length > 0, 'COMMAND-EF34g');
      const code = returnCode && randomText(6, capitals);
      return { details: recordCode(call, user, 'invite', code), inviteCode: code };
    },
  }),
  management('AddMachineUser', 'POST /management/v1/users/machine', 'user.write', {
    request: machineUser,
    response: { userId: text, details },
    handle(call, request) {
      const org = orgOf(call, call.orgId);
      const user = createMachine(call, org, call.caller.user.id, request);
      return { userId: user.id, details: changeDetails(user) };
    },
  }),
  management('AddPersonalAccessToken', 'POST /management/v1/users/:userId/pats', 'user.write', {
    request: { expirationDate: timestamp },
    response: {
      tokenId: text,
      token: text,
      details,
    },
    handle(call, { userId, expirationDate }) {
      const expires = expiry(call, expirationDate);
      const user = machineOnly(userOfCall(call, userId, 'COMMAND-Dggw2'));
      const { id: token, tokenId } = addToken(call, user.id, undefined, expires);
      return { tokenId, token, details: countEvent(call, user.id) };
    },
  }),
  management('AddMachineKey', 'POST /management/v1/users/:userId/keys', 'user.write', {
    request: {
      type: ruled(keyType, notZero('KEY_TYPE_UNSPECIFIED')),
      expirationDate: timestamp,
      publicKey: bytes,
    },
    response: {
      keyId: text,
      keyDetails: bytes,
      details,
    },
    async handle(call, { userId, expirationDate, publicKey }) {
      refuseLacking(publicKey !== '', 'keys of your own');
      const expires = expiry(call, expirationDate);
      const user = machineOnly(userOfCall(call, userId, 'COMMAND-bnipwm1'));
      const file = await addKey(call, user.id, expires);
      const keyDetails = Buffer.from(JSON.stringify(file)).toString('base64');
      return { keyId: file.keyId, keyDetails, details: countEvent(call, user.id) };
    },
  }),
  management('GenerateMachineSecret', 'PUT /management/v1/users/:userId/secret', 'user.write', {
    response: {
      clientId: text,
      clientSecret: text,
      details,
    },
    handle(call, { userId }) {
      const user = machineOnly(readUserOfCall(call, userId));
      const clientSecret = addSecret(call, user.id);
      return { clientId: user.userName, clientSecret, details: countEvent(call, user.id) };
    },
  }),
];
