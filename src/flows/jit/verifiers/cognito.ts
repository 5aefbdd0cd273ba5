/** Amazon Cognito: InitiateAuth with USER_PASSWORD_AUTH, which the app client has to allow. */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { objectOf } from '../../../lib/json-value.ts';
import { AttemptError, VerifierError } from '../verifier.ts';
import { answered, jsonVerifier, nameForms, nameOf, someText } from './kind.ts';

const settings = z
  .strictObject({
    region: z.string().regex(/^[a-z0-9-]+$/),
    clientId: someText,
    clientSecret: someText.optional(),
    /** Replaces the region's own endpoint. */
    endpoint: z.url().optional(),
    user: nameForms,
  })
  .transform((config) => ({
    ...config,
    endpoint: config.endpoint ?? `https://cognito-idp.${config.region}.amazonaws.com/`,
  }));

/** Challenges for a second factor. Cognito sends them only after the right password. */
const factors = new Set(['SMS_MFA', 'EMAIL_OTP', 'SOFTWARE_TOKEN_MFA', 'SELECT_MFA_TYPE', 'MFA_SETUP']);

/** Errors about the user: too many wrong passwords, disabled, not confirmed. A wrong client secret is a NotAuthorizedException too. */
const ofOneUser = /^(?:NotAuthorized|UserNotConfirmed)Exception$/;

export const cognito = jsonVerifier(settings, {
  url: ({ endpoint }) => endpoint,
  name: (attempt, { user }) => nameOf(attempt, user),
  request({ clientId, clientSecret }, { name, password }) {
    const secretHash =
      clientSecret &&
      createHmac('sha256', clientSecret)
        .update(name + clientId)
        .digest('base64');
    return {
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'AWSCognitoIdentityProviderService.InitiateAuth',
      },
      body: JSON.stringify({
        AuthFlow: 'USER_PASSWORD_AUTH',
        ClientId: clientId,
        AuthParameters: { USERNAME: name, PASSWORD: password, SECRET_HASH: secretHash },
      }),
    };
  },
  verdict(status, json) {
    const { AuthenticationResult: result, ChallengeName: step, message = '' } = json;
    if (status === 200) {
      const token = objectOf(result)['AccessToken'];
      if (typeof token === 'string' && token !== '') return 'right';
      if (factors.has(String(step))) return 'right';
      // The password is a right temporary password.
      if (step === 'NEW_PASSWORD_REQUIRED') return 'expired';
      throw new VerifierError('it asked for a step that says nothing about the password');
    }
    const type = String(json['__type']).replace(/^.*#/, '');
    // For these errors Cognito did not check the password.
    if (type === 'UserNotFoundException' || type === 'PasswordResetRequiredException') return 'unknown';
    if (type === 'NotAuthorizedException' && message === 'Incorrect username or password.') return 'wrong';
    if (ofOneUser.test(type) && !/secret/i.test(String(message)))
      throw new AttemptError(`it answered ${type}`);
    throw answered(status, type);
  },
});
