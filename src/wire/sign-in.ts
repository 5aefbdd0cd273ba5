/** Sessions, which are created and changed by checks of a user's credentials, and a user's authentication methods. */
import { isObject } from '../lib/json-value.ts';
import { listDetails, details } from './details.ts';
import {
  text,
  shortText,
  optionalText,
  optionalShortText,
  positiveDuration,
  uint64,
  timestamp,
  json,
  choice,
  list,
  message,
  oneOf,
  ruled,
} from './message.ts';

const code = (goName: string) => message(goName, { code: shortText });

const checks = message('Checks', {
  user: oneOf('zitadel.session.v2.CheckUser', 'search', {
    userId: optionalShortText,
    loginName: optionalShortText,
  }),
  password: message('CheckPassword', { password: shortText }),
  webAuthN: message('CheckWebAuthN', { credentialAssertionData: json }),
  idpIntent: message('CheckIDPIntent', {
    idpIntentId: shortText,
    idpIntentToken: shortText,
  }),
  totp: message('CheckTOTP', { code: ruled(text, { min: 6, max: 6 }) }),
  otpSms: code('CheckOTP'),
  otpEmail: code('CheckOTP'),
  recoveryCode: code('CheckRecoveryCode'),
});

/** What a client may say about itself. `header` is a map of lists. */
const userAgent = message('UserAgent', {
  fingerprintId: optionalText,
  ip: optionalText,
  description: optionalText,
  header: json,
});

/** Fields of both requests. Maps, and checks that this server does not have, stay JSON, so that targets get them unchanged. */
const common = {
  checks,
  metadata: ruled(json, {
    check: (value) =>
      isObject(value) &&
      Object.values(value).every((one) => typeof one === 'string' && /^[\w+/-]*={0,2}$/.test(one))
        ? undefined
        : 'value must be a map of base64 texts',
  }),
  challenges: json,
  lifetime: positiveDuration,
};

export const createSessionRequest = message('CreateSessionRequest', {
  ...common,
  userAgent,
});

export const createSessionResponse = message('CreateSessionResponse', {
  details,
  sessionId: text,
  sessionToken: text,
});

export const setSessionRequest = message('SetSessionRequest', {
  sessionId: shortText,
  sessionToken: ruled(optionalText, { max: 200 }),
  ...common,
});

const checkedAt = (goName: string) => message(goName, { verifiedAt: timestamp });

export const session = message('Session', {
  id: text,
  creationDate: timestamp,
  changeDate: timestamp,
  sequence: uint64,
  factors: {
    user: {
      verifiedAt: timestamp,
      id: text,
      loginName: text,
      displayName: text,
      organizationId: text,
    },
    password: checkedAt('PasswordFactor'),
    totp: checkedAt('TOTPFactor'),
  },
  metadata: json,
  userAgent,
  expirationDate: timestamp,
});
export const getSessionResponse = message('GetSessionResponse', { session });

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
  details: listDetails,
  authMethodTypes: list(choice(authenticationMethodTypes)),
});
