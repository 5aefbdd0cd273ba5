/** Codes for a human user by version 2: recovery codes, a passkey to register, a new password, an invitation. */
import { details } from '../../wire/details.ts';
import { choice, list, message, optionalShortText, optionalText, text, uint32 } from '../../wire/message.ts';
import { maxRecoveryCodes } from '../../records/field-rules.ts';
import type { Call } from '../context.ts';
import { refusal } from '../errors.ts';
import { users } from '../method.ts';
import type { NotificationRow, UserRow } from '../store/rows.ts';
import { addRecoveryCodes, changeUser } from '../users/change.ts';
import { checkTemplate, randomText } from '../users/create.ts';
import { notify } from '../users/notifications.ts';
import { changeDetails } from '../users/show.ts';
import { requireOver } from './users.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';
import { findById } from '../store/store.ts';

const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const digits = '0123456789';
const withoutLookalikes = `${digits}abcdefghjkmnpqrstvwxyz`;

const urlTemplate = optionalShortText;

export const codeMethods = [
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
      if (count === 0 || count > maxRecoveryCodes) throw refusal('COMMAND-7c0nx');
      const half = () => randomText(5, withoutLookalikes);
      const recoveryCodes = Array.from({ length: count }, () => `${half()}-${half()}`);
      const hashes = await Promise.all(recoveryCodes.map(call.settings.hashPassword));
      // Hashing takes time: another call may have added codes, or deleted the user.
      const user = find();
      if ((user.more?.recoveryCodes?.length ?? 0) + count > maxRecoveryCodes) throw refusal('COMMAND-8f2k9');
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
      request: {
        sendLink: message('SendPasskeyRegistrationLink', { urlTemplate }),
        returnCode: message('ReturnPasskeyRegistrationCode', {}),
      },
      oneofs: [{ name: 'medium', members: ['sendLink', 'returnCode'] }],
      response: {
        details,
        code: { id: text, code: text },
      },
      handle(call, { userId, sendLink, returnCode }) {
        checkTemplate(sendLink);
        const user = humanOf(call, userId, 'COMMAND-uXHNj');
        const code = returnCode && {
          id: call.store.nextId(),
          code: randomText(12, `${capitals}${capitals.toLowerCase()}${digits}`),
        };
        return { details: recordCode(call, user, 'passwordless', code), code };
      },
    },
  ),
  users('PasswordReset', 'POST /v2/users/:userId/password_reset', 'authenticated', {
    request: {
      sendLink: message('SendPasswordResetLink', {
        notificationType: choice([
          'NOTIFICATION_TYPE_Unspecified',
          'NOTIFICATION_TYPE_Email',
          'NOTIFICATION_TYPE_SMS',
        ]),
        urlTemplate,
      }),
      returnCode: message('ReturnPasswordResetCode', {}),
    },
    oneofs: [{ name: 'medium', members: ['sendLink', 'returnCode'] }],
    response: {
      details,
      verificationCode: optionalText,
    },
    handle(call, { userId, sendLink, returnCode }) {
      checkTemplate(sendLink);
      const user = humanOf(call, userId, 'COMMAND-SAF4f');
      if (user.status === 'initial') throw refusal('COMMAND-Sfe4g');
      const code = returnCode && randomText(6, capitals);
      const phone = sendLink?.notificationType === 'NOTIFICATION_TYPE_SMS' ? user.more?.phone : undefined;
      return { details: recordCode(call, user, 'password-reset', code, phone), verificationCode: code };
    },
  }),
  users('CreateInviteCode', 'POST /v2/users/:userId/invite_code', 'authenticated', {
    request: {
      sendCode: message('SendInviteCode', {
        urlTemplate,
        applicationName: optionalShortText,
      }),
      returnCode: message('ReturnInviteCode', {}),
    },
    oneofs: [{ name: 'verification', members: ['sendCode', 'returnCode'] }],
    response: {
      details,
      inviteCode: optionalText,
    },
    handle(call, { userId, sendCode, returnCode }) {
      checkTemplate(sendCode);
      const user = humanOf(call, userId, 'COMMAND-Wgvn4');
      if (user.passwordHash !== '' || (user.more?.links ?? []).length > 0) throw refusal('COMMAND-EF34g');
      const code = returnCode && randomText(6, capitals);
      return { details: recordCode(call, user, 'invite', code), inviteCode: code };
    },
  }),
];

/** A human user whom the caller may change. */
function humanOf(call: Call, id: string, errorId: ServiceErrorId): UserRow {
  const user = findById(call.store, id);
  if (user !== undefined) requireOver(call, user, 'user.write');
  if (user?.kind === 'human') return user;
  throw refusal(errorId);
}

/** Counts the event, and records the message where the answer does not return the code. */
function recordCode(
  call: Call,
  user: UserRow,
  kind: NotificationRow['kind'],
  returned: unknown,
  to = user.email,
) {
  if (returned === undefined) notify(call, user, kind, 'requested', to);
  return changeDetails(changeUser(call, user, {}));
}
