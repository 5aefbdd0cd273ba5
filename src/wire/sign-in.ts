/** Sessions, created and changed by checks of a user's credentials; and the methods that a user signs in with. */
import { listDetails, details } from './details.ts';
import {
  choice,
  duration,
  json,
  list,
  message,
  optionalText,
  text,
  timestamp,
  uint64,
  oneOf,
  shortText,
  optionalShortText,
} from './message.ts';

const code = (goName: string) => message(goName, { code: shortText() }).optional();

const checks = message('Checks', {
  user: oneOf('zitadel.session.v2.CheckUser', 'search', {
    userId: optionalShortText(),
    loginName: optionalShortText(),
  }).optional(),
  password: message('CheckPassword', { password: shortText() }).optional(),
  webAuthN: message('CheckWebAuthN', { credentialAssertionData: json() }).optional(),
  idpIntent: message('CheckIDPIntent', {
    idpIntentId: shortText(),
    idpIntentToken: shortText(),
  }).optional(),
  totp: message('CheckTOTP', { code: text({ min: 6, max: 6 }) }).optional(),
  otpSms: code('CheckOTP'),
  otpEmail: code('CheckOTP'),
  recoveryCode: code('CheckRecoveryCode'),
});

/** What a client may say of itself; `header` is a map of lists. */
const userAgent = message('UserAgent', {
  fingerprintId: optionalText(),
  ip: optionalText(),
  description: optionalText(),
  header: json(),
});

/** Of maps and of what this server does not check, only the JSON is kept: targets of the request get it as it came. */
const common = {
  checks: checks.optional(),
  metadata: json(),
  challenges: json(),
  lifetime: duration(),
};

export const createSessionRequest = message('CreateSessionRequest', {
  ...common,
  userAgent: userAgent.optional(),
});

export const createSessionResponse = message('CreateSessionResponse', {
  details,
  sessionId: text(),
  sessionToken: text(),
});

export const setSessionRequest = message('SetSessionRequest', {
  sessionId: shortText(),
  sessionToken: optionalText({ max: 200 }),
  ...common,
});

export const setSessionResponse = message('SetSessionResponse', {
  details,
  sessionToken: text(),
});

export const getSessionRequest = message('GetSessionRequest', {
  sessionId: shortText(),
  sessionToken: optionalText({ min: 1, max: 500 }),
});

const checkedAt = (goName: string) => message(goName, { verifiedAt: timestamp() }).optional();

export const session = message('Session', {
  id: text(),
  creationDate: timestamp(),
  changeDate: timestamp(),
  sequence: uint64(),
  factors: message('Factors', {
    user: message('UserFactor', {
      verifiedAt: timestamp(),
      id: text(),
      loginName: text(),
      displayName: text(),
      organizationId: text(),
    }).optional(),
    password: checkedAt('PasswordFactor'),
    totp: checkedAt('TOTPFactor'),
  }).optional(),
  metadata: json(),
  userAgent: userAgent.optional(),
  expirationDate: timestamp(),
});
export const getSessionResponse = message('GetSessionResponse', { session: session.optional() });

export const deleteSessionRequest = message('DeleteSessionRequest', {
  sessionId: shortText(),
  sessionToken: optionalShortText(),
});

export const authenticationMethodTypes = [
  'AUTHENTICATION_METHOD_TYPE_UNSPECIFIED',
  'AUTHENTICATION_METHOD_TYPE_PASSWORD',
  'AUTHENTICATION_METHOD_TYPE_PASSKEY',
  'AUTHENTICATION_METHOD_TYPE_IDP',
  'AUTHENTICATION_METHOD_TYPE_TOTP',
  'AUTHENTICATION_METHOD_TYPE_U2F',
  'AUTHENTICATION_METHOD_TYPE_OTP_SMS',
  'AUTHENTICATION_METHOD_TYPE_OTP_EMAIL',
] as const;

export const authenticationMethodsResponse = message('ListAuthenticationMethodTypesResponse', {
  details: listDetails.optional(),
  authMethodTypes: list(choice(authenticationMethodTypes)),
});
