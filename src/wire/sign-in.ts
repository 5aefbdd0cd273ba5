/** Sessions by user and password, which prove that an imported hash works, and the methods that a user signs in with. */
import type { z } from 'zod';
import { listDetails, objectDetails } from './details.ts';
import { choice, duration, list, message, optionalText, text } from './message.ts';

export const createSessionRequest = message('CreateSessionRequest', {
  checks: message('Checks', {
    user: message(
      'CheckUser',
      { userId: optionalText({ min: 1, max: 200 }), loginName: optionalText({ min: 1, max: 200 }) },
      {
        fullName: 'zitadel.session.v2.CheckUser',
        oneofs: [{ name: 'search', members: ['userId', 'loginName'], required: true }],
      },
    ).optional(),
    password: message('CheckPassword', { password: text({ min: 1, max: 200 }) }).optional(),
    totp: message('CheckTOTP', { code: text({ min: 6, max: 6 }) }).optional(),
  }).optional(),
  lifetime: duration(),
});
export type CreateSessionInput = z.input<typeof createSessionRequest>;

export const createSessionResponse = message('CreateSessionResponse', {
  details: objectDetails.optional(),
  sessionId: text(),
  sessionToken: text(),
});
export type CreateSessionResponse = z.output<typeof createSessionResponse>;

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
export type AuthenticationMethodsResponse = z.output<typeof authenticationMethodsResponse>;
