/** Bodies for getting a token: key file, token response, discovery document. */
import { z } from 'zod';

const text = z.string();

/** Key file, which the service returns once for a key of a service user. `key` is a PEM (PKCS#1 or PKCS#8). */
export const serviceKeyFile = z.object({
  type: text.default('serviceaccount'),
  keyId: text.min(1),
  key: text.min(1),
  userId: text.min(1),
});
export type KeyFile = z.output<typeof serviceKeyFile>;

/** Client secret of a service user, as the service returns it once. */
export const clientSecret = z.object({ clientId: text.min(1), clientSecret: text.min(1) });

export const jwtBearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Adds the service's own project to the audience of the token. Without it, every call is refused. */
export const apiScope = 'urn:zitadel:iam:org:project:id:zitadel:aud';
export const defaultScope = `openid ${apiScope}`;

/** `expires_in` is in seconds. */
export const tokenResponse = z.object({
  access_token: text,
  token_type: text,
  expires_in: z.number().optional(),
  id_token: text.optional(),
});

export const discovery = z.looseObject({
  issuer: text,
  token_endpoint: z.url(),
});
