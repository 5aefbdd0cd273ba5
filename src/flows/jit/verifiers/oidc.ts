/** The resource owner password grant at a token endpoint: Keycloak, Auth0, Okta, Entra, B2C and others. */
import { z } from 'zod';
import { AttemptError, VerifierError } from '../verifier.ts';
import { answered, jsonVerifier, nameForms, nameOf, someText } from './kind.ts';

const settings = z.strictObject({
  tokenUrl: z.url(),
  clientId: someText,
  clientSecret: someText.optional(),
  /** Sends the client secret in a Basic header or in the form. */
  clientAuth: z.enum(['basic', 'post']).default('post'),
  /** Auth0 connection, for its password-realm grant. */
  realm: someText.optional(),
  audience: someText.optional(),
  scope: z.string().default('openid'),
  user: nameForms,
});

/** Entra asks for a second factor, which it does only after the right password. */
const entraRight = /^AADSTS(?:50072|50074|50076|50079|50158)\b/;
/** The password is right but has expired. Keycloak says so for every required action (ResourceOwnerPasswordCredentialsGrantType.java). */
const rightExpired = /^(?:AADSTS(?:50055|50144)\b|Account is not fully set up$)/;

/** The texts above appear only with these errors. */
const isGrantError = (error: unknown) => error === 'invalid_grant' || error === 'interaction_required';

const isToken = (value: unknown) => typeof value === 'string' && value !== '';

export const oidc = jsonVerifier(settings, {
  url: ({ tokenUrl }) => tokenUrl,
  name: (attempt, { user }) => nameOf(attempt, user),
  request(config, { name, password }) {
    const { clientId, clientSecret, clientAuth, realm, audience, scope } = config;
    const isBasic = clientSecret !== undefined && clientAuth === 'basic';
    const form = new URLSearchParams({
      grant_type: realm === undefined ? 'password' : 'http://auth0.com/oauth/grant-type/password-realm',
      username: name,
      password,
      scope,
      ...(!isBasic && { client_id: clientId }),
      ...(clientSecret === undefined || isBasic ? {} : { client_secret: clientSecret }),
      ...(realm !== undefined && { realm }),
      ...(audience !== undefined && { audience }),
    });
    const credentials = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret ?? '')}`;
    return {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        ...(isBasic && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
      body: form.toString(),
    };
  },
  verdict(status, { error, access_token, id_token, error_description: text = '' }) {
    if (status === 200) {
      if (error === undefined && (isToken(access_token) || isToken(id_token))) return 'right';
      throw new VerifierError('it answered with status 200 and no token');
    }
    // Auth0 asks for a second factor only after the right password.
    if (error === 'mfa_required') return 'right';
    if (isGrantError(error) && entraRight.test(String(text))) return 'right';
    if (isGrantError(error) && rightExpired.test(String(text))) return 'expired';
    if (error === 'invalid_grant') return 'wrong';
    // Auth0 has blocked the user after too many wrong passwords.
    if (error === 'too_many_attempts') throw new AttemptError('it answered too_many_attempts');
    throw answered(status, error);
  },
});
