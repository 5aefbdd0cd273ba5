/** Codes for a user by version 2: sent, or given back in the answer where `returnCode` asks for it. */
import { details } from './details.ts';
import {
  text,
  shortText,
  optionalText,
  optionalShortText,
  uint32,
  choice,
  list,
  message,
} from './message.ts';

const user = { userId: shortText };
const answer = { details };
const urlTemplate = optionalShortText;
const notificationTypes = [
  'NOTIFICATION_TYPE_Unspecified',
  'NOTIFICATION_TYPE_Email',
  'NOTIFICATION_TYPE_SMS',
] as const;

const oneof = (goName: string, name: string, ...members: string[]) => ({
  fullName: `zitadel.user.v2.${goName}`,
  oneofs: [{ name, members }],
});

export const generateRecoveryCodesRequest = message('GenerateRecoveryCodesRequest', {
  ...user,
  count: uint32,
});
export const generateRecoveryCodesResponse = message('GenerateRecoveryCodesResponse', {
  ...answer,
  recoveryCodes: list(text),
});

export const createPasskeyLinkRequest = message(
  'CreatePasskeyRegistrationLinkRequest',
  {
    ...user,
    sendLink: message('SendPasskeyRegistrationLink', { urlTemplate }),
    returnCode: message('ReturnPasskeyRegistrationCode', {}),
  },
  oneof('CreatePasskeyRegistrationLinkRequest', 'medium', 'sendLink', 'returnCode'),
);
export const createPasskeyLinkResponse = message('CreatePasskeyRegistrationLinkResponse', {
  ...answer,
  code: message('PasskeyRegistrationCode', { id: text, code: text }),
});

export const passwordResetRequest = message(
  'PasswordResetRequest',
  {
    ...user,
    sendLink: message('SendPasswordResetLink', {
      notificationType: choice(notificationTypes),
      urlTemplate,
    }),
    returnCode: message('ReturnPasswordResetCode', {}),
  },
  oneof('PasswordResetRequest', 'medium', 'sendLink', 'returnCode'),
);
export const passwordResetResponse = message('PasswordResetResponse', {
  ...answer,
  verificationCode: optionalText,
});

export const createInviteCodeRequest = message(
  'CreateInviteCodeRequest',
  {
    ...user,
    sendCode: message('SendInviteCode', {
      urlTemplate,
      applicationName: optionalShortText,
    }),
    returnCode: message('ReturnInviteCode', {}),
  },
  oneof('CreateInviteCodeRequest', 'verification', 'sendCode', 'returnCode'),
);
export const createInviteCodeResponse = message('CreateInviteCodeResponse', {
  ...answer,
  inviteCode: optionalText,
});
