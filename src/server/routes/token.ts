/** The token endpoint: access tokens for the key or secret of a service user. */
import { createPublicKey, randomBytes } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { auth } from 'hono/utils/basic-auth';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { apiScope, jwtBearerGrant } from '../../wire/token.ts';
import { hashSecret } from '../accounts.ts';
import { originOf } from '../limits/connection.ts';
import type { ServerState } from '../method.ts';
import { findByLoginName } from '../users/search.ts';

/** Twelve hours, in seconds. As in the service, the answer says one second less. */
const lifetime = 12 * 60 * 60;
/** Maximum number of access tokens of a user. */
const maxTokens = 1000;
const maxAssertionAge = 60 * 60;

class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly error: string;

  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

export function mountToken(app: Hono, state: ServerState) {
  app.get('/oauth/v2/keys', async (context) => context.json(await state.webKey.keySet()));
  app.on(['GET', 'POST'], '/oauth/v2/token', async (context) => {
    const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };
    try {
      return context.json(await grantToken(state, context), 200, noStore);
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      const body = { error: error.error, error_description: error.message };
      return context.json(body, 400, noStore);
    }
  });
}

async function grantToken(state: ServerState, context: Context): Promise<object> {
  const form = new URLSearchParams(await context.req.text());
  const issuer = originOf(context);
  const scopes = (form.get('scope') ?? '').split(' ').filter(Boolean);
  const { user, clientId } = await ownerOf(state, form, issuer, context);
  if (user?.status !== 'active') throw new TokenError('invalid_request', 'Errors.User.NotActive');
  const now = state.store.now();
  const api = scopes.includes(apiScope);
  const claims = {
    iss: issuer,
    sub: user.id,
    aud: api ? [state.store.instance.projectId] : [clientId],
    iat: Math.floor(now / 1000),
    exp: Math.floor(now / 1000) + lifetime,
  };
  // OpenID Connect clients refuse an id token that is not meant for them.
  const idClaims = {
    ...claims,
    aud: [...new Set([...claims.aud, clientId])],
    azp: clientId,
    client_id: clientId,
  };
  const sign = (content: object) => state.webKey.sign(JSON.stringify(content));
  const asJwt = user.accessTokenType === 'ACCESS_TOKEN_TYPE_JWT';
  const token = asJwt
    ? await sign({ ...claims, jti: state.store.nextId() })
    : randomBytes(48).toString('base64url');
  forgetTokens(state, user.id, now);
  state.store.tokens.put({
    id: token,
    tokenId: state.store.nextId(),
    userId: user.id,
    kind: 'access',
    created: now,
    expires: now + lifetime * 1000,
    api,
  });
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: lifetime - 1,
    ...(scopes.includes('openid') && { id_token: await sign(idClaims) }),
  };
}

function ownerOf(state: ServerState, form: URLSearchParams, issuer: string, context: Context) {
  const grant = form.get('grant_type') ?? '';
  if (grant === jwtBearerGrant) return readAssertion(state, form.get('assertion') ?? '', issuer);
  if (grant === 'client_credentials') return readCredentials(state, form, context);
  if (grant === '') throw new TokenError('invalid_request', 'grant_type missing');
  throw new TokenError('unsupported_grant_type', `${grant} not supported`);
}

/**
 * Returns the user of an assertion. It must be signed by a key of the user for this issuer, not older than an hour and
 * not expired (with one second of tolerance).
 */
async function readAssertion(state: ServerState, assertion: string, issuer: string) {
  if (assertion === '') throw new TokenError('invalid_request', 'assertion missing');
  const { store } = state;
  const now = store.now();
  try {
    const key = store.machineKeys.get(decodeProtectedHeader(assertion).kid ?? '');
    if (key === undefined || Date.parse(key.key.expirationDate) <= now) throw new Error('no such key');
    const publicKey = createPublicKey(Buffer.from(key.key.publicKey, 'base64'));
    await jwtVerify(assertion, publicKey, {
      algorithms: ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
      audience: issuer,
      issuer: key.userId,
      subject: key.userId,
      currentDate: new Date(now),
      clockTolerance: 1,
      maxTokenAge: maxAssertionAge,
      requiredClaims: ['exp', 'iat'],
    });
    return { user: store.users.get(key.userId), clientId: key.userId };
  } catch {
    throw new TokenError('invalid_grant', 'invalid assertion');
  }
}

/**
 * Returns the user of a client secret, from HTTP Basic (each part form-encoded) or the form. The client id is the login
 * name of the service user.
 */
function readCredentials(state: ServerState, form: URLSearchParams, context: Context) {
  const basic = auth(context.req.raw);
  const id = basic === undefined ? (form.get('client_id') ?? '') : formDecode(basic.username);
  const secret = basic === undefined ? (form.get('client_secret') ?? '') : formDecode(basic.password);
  const user = findByLoginName(state.store, id);
  if (user === undefined) throw new TokenError('invalid_client', 'client not found');
  const { secretHash } = user;
  if (secretHash !== hashSecret(secret)) {
    const problem = secretHash === undefined ? 'NotExisting' : 'Invalid';
    throw new TokenError('invalid_request', `Errors.User.Machine.Secret.${problem}`);
  }
  return { user, clientId: id };
}

const formDecode = (text: string) => new URLSearchParams(`=${text.replaceAll('&', '%26')}`).get('')!;

/** Deletes a user's expired tokens, and the oldest ones if there are too many. */
function forgetTokens({ store }: ServerState, userId: string, now: number) {
  const tokens = store.tokens.by('user', userId).filter(({ kind }) => kind === 'access');
  for (const [index, { id, expires }] of tokens.entries()) {
    if (expires <= now || index <= tokens.length - maxTokens) store.tokens.delete(id);
  }
}
