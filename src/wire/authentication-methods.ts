/**
 * What a user can sign in with, as version 2 tells it: the one call that says of a single person whether
 * there is a password.
 */
import type { z } from 'zod';
import { listDetails } from './details.ts';
import { choice, list, message } from './message.ts';

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
