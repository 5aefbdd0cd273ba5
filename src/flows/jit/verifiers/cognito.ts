/** Amazon Cognito: InitiateAuth with USER_PASSWORD_AUTH, which the app client has to allow. */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '../../../lib/json-value.ts';
import { AttemptError, VerifierError, type Verdict } from '../verifier.ts';
import { createJsonSender } from './http-json.ts';
import { nameForms, nameOf, verifierKind } from './kind.ts';

const settings = z
  .strictObject({
    region: z.string().regex(/^[a-z0-9-]+$/),
    clientId: z.string().min(1),
    clientSecret: z.string().min(1).optional(),
    /** In place of the region's own address. */
    endpoint: z.url().optional(),
    user: nameForms,
  })
  .transform((config) => ({
    ...config,
    endpoint: config.endpoint ?? `https://cognito-idp.${config.region}.amazonaws.com/`,
  }));

export const cognito = verifierKind(settings, ({ clientId, clientSecret, endpoint, user }, env) => {
  const sender = createJsonSender(endpoint, env);
  return {
    async check(attempt, signal) {
      const userName = nameOf(attempt, user);
      if (userName === '') return 'unknown';
      const secretHash =
        clientSecret === undefined
          ? {}
          : {
              SECRET_HASH: createHmac('sha256', clientSecret)
                .update(userName + clientId)
                .digest('base64'),
            };
      const { status, json } = await sender.post({
        url: endpoint,
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': 'AWSCognitoIdentityProviderService.InitiateAuth',
        },
        body: JSON.stringify({
          AuthFlow: 'USER_PASSWORD_AUTH',
          ClientId: clientId,
          AuthParameters: { USERNAME: userName, PASSWORD: attempt.password, ...secretHash },
        }),
        signal,
      });
      return readAnswer(status, json);
    },
    close: () => sender.close(),
  };
});

/** Asked for only once the password is right. */
const laterSteps = new Set([
  'SMS_MFA',
  'EMAIL_OTP',
  'SOFTWARE_TOKEN_MFA',
  'SELECT_MFA_TYPE',
  'MFA_SETUP',
  'NEW_PASSWORD_REQUIRED',
]);

/** Too many wrong passwords, disabled, not confirmed. A wrong secret of the client is a NotAuthorizedException as well. */
const ofOneUser = /^(?:NotAuthorized|UserNotConfirmed)Exception$/;

function readAnswer(status: number, json: unknown): Verdict {
  const fields = isObject(json) ? json : {};
  if (status === 200) {
    const result = fields['AuthenticationResult'];
    if (isObject(result) && typeof result['AccessToken'] === 'string' && result['AccessToken'] !== '')
      return 'right';
    if (laterSteps.has(String(fields['ChallengeName']))) return 'right';
    throw new VerifierError('it asked for a step that says nothing about the password');
  }
  const type = String(fields['__type']).replace(/^.*#/, '');
  const message = typeof fields['message'] === 'string' ? fields['message'] : '';
  // With these it does not look at the password.
  if (type === 'UserNotFoundException' || type === 'PasswordResetRequiredException') return 'unknown';
  if (type === 'NotAuthorizedException' && message === 'Incorrect username or password.') return 'wrong';
  if (ofOneUser.test(type) && !/secret/i.test(message)) throw new AttemptError(`it answered ${type}`);
  throw new VerifierError(`it answered with status ${status}${/^\w{1,60}$/.test(type) ? ` ${type}` : ''}`);
}
