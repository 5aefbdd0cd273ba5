/** The resource owner password grant at a token endpoint: Keycloak, Auth0, Okta, Entra, B2C and others. */
import { z } from 'zod';
import { isObject } from '../../../lib/json-value.ts';
import { AttemptError, type LoginAttempt, VerifierError, type Verdict } from '../verifier.ts';
import { nameForms, nameOf, verifierKind } from './kind.ts';
import { createJsonSender } from './http-json.ts';

const settings = z.strictObject({
  tokenUrl: z.url(),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1).optional(),
  /** Where the secret goes. */
  clientAuth: z.enum(['basic', 'post']).default('post'),
  /** Auth0: the connection, which its own grant takes. */
  realm: z.string().min(1).optional(),
  audience: z.string().min(1).optional(),
  scope: z.string().default('openid'),
  user: nameForms,
});

export const oidc = verifierKind(settings, (config, env) => {
  const sender = createJsonSender(config.tokenUrl, env);
  return {
    async check(attempt, signal) {
      if (nameOf(attempt, config.user) === '') return 'unknown';
      const { headers, body } = writeRequest(config, attempt);
      const { status, json } = await sender.post({ url: config.tokenUrl, headers, body, signal });
      return readAnswer(status, json);
    },
    close: () => sender.close(),
  };
});

function writeRequest(config: z.output<typeof settings>, attempt: LoginAttempt) {
  const { clientId, clientSecret, clientAuth, realm, audience, scope, user } = config;
  const isBasic = clientSecret !== undefined && clientAuth === 'basic';
  const form = new URLSearchParams({
    grant_type: realm === undefined ? 'password' : 'http://auth0.com/oauth/grant-type/password-realm',
    username: nameOf(attempt, user),
    password: attempt.password,
    scope,
    ...(isBasic ? {} : { client_id: clientId }),
    ...(clientSecret === undefined || isBasic ? {} : { client_secret: clientSecret }),
    ...(realm === undefined ? {} : { realm }),
    ...(audience === undefined ? {} : { audience }),
  });
  const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret ?? '')}`;
  return {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(isBasic ? { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } : {}),
    },
    body: form.toString(),
  };
}

/** Said only after the password was found right: Entra asks for a second factor, or the password is too old. */
const entraRight = /^AADSTS(?:50055|50072|50074|50076|50079|50144|50158)\b/;

/** Entra has these texts with no other errors. */
const isGrantError = (error: unknown): boolean =>
  error === 'invalid_grant' || error === 'interaction_required';

const isToken = (value: unknown): boolean => typeof value === 'string' && value !== '';

function readAnswer(status: number, json: unknown): Verdict {
  const { error, access_token, id_token, error_description } = isObject(json) ? json : {};
  if (status === 200) {
    if (error === undefined && (isToken(access_token) || isToken(id_token))) return 'right';
    throw new VerifierError('it answered with status 200 and no token');
  }
  const text = typeof error_description === 'string' ? error_description : '';
  // Auth0 asks for the second factor once the password is right.
  if (error === 'mfa_required') return 'right';
  if (isGrantError(error) && entraRight.test(text)) return 'right';
  if (error === 'invalid_grant') return 'wrong';
  // Auth0: too many wrong passwords of this user.
  if (error === 'too_many_attempts') throw new AttemptError('it answered too_many_attempts');
  throw new VerifierError(
    `it answered with status ${status}${typeof error === 'string' && /^\w{1,40}$/.test(error) ? ` ${error}` : ''}`,
  );
}
