/**
 * Gets a token: a fixed one, one from a file, or one from the token endpoint by private key (JWT profile) or client
 * secret.
 */
import { IdportError, InputError } from '../errors.ts';
import { tryParseJson } from '../lib/json-value.ts';
import {
  clientSecret,
  jwtBearerGrant,
  defaultScope,
  discovery,
  tokenResponse,
  serviceKeyFile,
} from '../wire/token.ts';
import { type Answer, type ApiRequest, type End, type Send, NetworkFailure } from './send.ts';
import { ApiError } from './api-error.ts';
import type { Clock } from '../lib/clock.ts';
import { createPrivateKey } from 'node:crypto';

interface TokenSource {
  /** Returns a token that is valid for at least another minute, as far as known. Synchronous if there already is one. */
  get(): string | Promise<string>;
  /** Forgets a token that the service refused. Returns false if there is no way to get another. */
  renew(refused: string): boolean;
}

export type Credentials = (context: TokenContext) => TokenSource;

/** A personal access token, or one created elsewhere. */
export const fixedToken =
  (token: string): Credentials =>
  () => ({ get: () => token, renew: () => false });

/**
 * A token from a file, which is read again when the service refuses the token: something may have renewed it. Throws `InputError`
 * if there is no token in the file.
 */
export function tokenFromFile(path: string, read: (path: string) => string): Credentials {
  return () => {
    let token = oneToken(path, read(path));
    return {
      get: () => token,
      renew: (refused) => {
        token = oneToken(path, read(path));
        return token !== refused;
      },
    };
  };
}

/**
 * JWT with a private key, the recommended way, or client credentials if the file has them as the service returns them:
 * `{"clientId","clientSecret"}`. `json` is the content of the file, `path` its name in messages.
 */
export function keyFile(path: string, json: string): Credentials {
  const client = clientSecret.safeParse(tryParseJson(json));
  if (client.success) {
    const { clientId: id, clientSecret: secret } = client.data;
    return renewing((context) =>
      requestToken(context, async () => ({ grant_type: 'client_credentials' }), { id, secret }),
    );
  }
  const key = readKeyFile(path, json);
  return renewing((context) =>
    requestToken(context, async (issuer) => {
      refuseOtherIssuer(context.url, issuer);
      const assertion = await signAssertion(key, issuer, context.clock.now());
      return { grant_type: jwtBearerGrant, assertion };
    }),
  );
}

/** An assertion gives access to its issuer, so it is only sent to the issuer's own host. Throws if the issuer is another. */
function refuseOtherIssuer(url: string, issuer: string) {
  if (URL.canParse(issuer)) {
    const [asked, named] = [new URL(url), new URL(issuer)];
    // If a proxy terminates TLS, the ports differ too.
    const samePort = asked.protocol !== named.protocol || asked.port === named.port;
    if (asked.hostname === named.hostname && samePort) return;
  }
  throw new IdportError(
    'token:issuer',
    `${url} names another issuer: ${issuer}`,
    'Nothing was signed. Give the address of the issuer with --url, if it is the service that you mean.',
  );
}

/** Sends every request with a token. A token that the service refuses is renewed once. */
export function authorize(tokens: TokenSource, send: Send): Send {
  const sendWith = (request: ApiRequest, token: string) =>
    send({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
  return async (request) => {
    const token = await tokens.get();
    const response = await sendWith(request, token);
    if (response.status !== 401 || !tokens.renew(token)) return response;
    return sendWith(request, await tokens.get());
  };
}

/** A token is replaced this long before its expiry (ms), so that none expires while a request is sent. */
const margin = 60_000;

/** Gets one token for all requests that wait, and another when the token is about to expire. */
const renewing =
  (issue: (context: TokenContext) => Promise<IssuedToken>): Credentials =>
  (context) => {
    const { clock } = context;
    let current: { token: string; endsAt: number } | undefined;
    let asking: Promise<string> | undefined;
    const ask = async () => {
      const askedAt = clock.monotonic();
      try {
        const { token, lifetime } = await issue(context);
        current = { token, endsAt: askedAt + lifetime - Math.min(margin, lifetime / 2) };
        return token;
      } finally {
        asking = undefined;
      }
    };
    return {
      get: () => {
        if (current !== undefined && clock.monotonic() < current.endsAt) return current.token;
        return (asking ??= ask());
      },
      renew: (refused) => {
        if (current?.token === refused) current = undefined;
        return true;
      },
    };
  };

/**
 * Returns the single token in `text`. Throws `InputError` if there is none, or if it has characters that a header cannot have.
 */
export function oneToken(name: string, text: string) {
  const token = text.trim();
  if (token === '') throw new InputError('input:empty', name, 'there is no token in it');
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new InputError(
      'input:token',
      name,
      'this is not one token: it has spaces or other characters in it',
      'Put only the token into the file. For the key file of a service account (JSON) use --key-file.',
    );
  }
  return token;
}

/** How credentials send requests: through the client's queue, like all others. */
interface TokenContext {
  readonly url: string;
  readonly send: (request: ApiRequest) => Promise<End>;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

interface IssuedToken {
  readonly token: string;
  /** In milliseconds from the time of the request. */
  readonly lifetime: number;
}

/** In seconds. */
const defaultLifetime = 3600;

/** `grant` returns the form fields for an issuer; `basic` goes into the Authorization header. */
async function requestToken(
  context: TokenContext,
  grant: (issuer: string) => Promise<Record<string, string>>,
  basic?: { id: string; secret: string },
): Promise<IssuedToken> {
  const { issuer, endpoint } = await discover(context);
  const { access_token: token, expires_in: seconds } = await ask(context, tokenResponse, {
    method: 'POST',
    url: endpoint,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(basic !== undefined && { authorization: basicHeader(basic) }),
    },
    body: new URLSearchParams({ ...(await grant(issuer)), scope: defaultScope }).toString(),
  });
  return { token, lifetime: (seconds ?? defaultLifetime) * 1000 };
}

async function discover(context: TokenContext) {
  const url = `${context.url}/.well-known/openid-configuration`;
  const { issuer, token_endpoint: endpoint } = await ask(context, discovery, {
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
  });
  // An assertion is as good as a password. If the service uses TLS, its token endpoint must use it too.
  if (context.url.startsWith('https:') && !endpoint.startsWith('https:')) {
    throw new IdportError(
      'token:issuer',
      `${context.url} names a token endpoint without TLS: ${endpoint}`,
      'Nothing was sent there. Behind a proxy that ends TLS, the service needs the setting ExternalSecure.',
    );
  }
  return { issuer, endpoint };
}

async function ask<Value>(
  { url, send, signal }: TokenContext,
  answer: Answer<Value>,
  asked: Omit<ApiRequest, 'timeout' | 'repeat'>,
) {
  // Asking for a second token is harmless.
  const request: ApiRequest = { ...asked, timeout: 30_000, repeat: 'safe', signal };
  const end = await send(request);
  if (end instanceof NetworkFailure || end.status !== 200) throw new ApiError(request, end);
  try {
    return answer.parse(JSON.parse(end.text));
  } catch {
    throw new IdportError(
      'token:no-user',
      `${request.method} ${request.url}: this is not the response of an identity service`,
      `Check --url: is ${url} the base of an instance?`,
    );
  }
}

/** Both parts are form-encoded first (RFC 6749, section 2.3.1). */
function basicHeader({ id, secret }: { id: string; secret: string }) {
  const encode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
}

/**
 * Reads a key file as the service returns it once: `{"type":"serviceaccount","keyId","key":"<PEM, PKCS#1 or PKCS#8>","userId"}`.
 * Throws `InputError`.
 */
function readKeyFile(path: string, json: string) {
  const file = serviceKeyFile.safeParse(tryParseJson(json));
  if (file.success && file.data.type === 'application') {
    throw new InputError(
      'input:key-file',
      path,
      'this is the key of an application, not of a service account',
      'Create a key (type JSON) for a service account and give that.',
    );
  }
  if (!file.success) {
    throw new InputError(
      'input:key-file',
      path,
      'this is not the key file of a service account',
      'It is a JSON file with type, keyId, key and userId. For a plain token use --token-file.',
    );
  }
  const { keyId, userId, key: pem } = file.data;
  const key = readPrivateKey(pem);
  const isRsa = key?.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;
  if (key !== undefined && isRsa) return { keyId, userId, key };
  const problem = key === undefined ? 'cannot be read' : 'is not an RSA key of at least 2,048 bits';
  throw new InputError(
    'input:key-file',
    path,
    `the private key in it ${problem}`,
    'Create a new key for the service account; the file must be kept as it was downloaded.',
  );
}

function readPrivateKey(pem: string) {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/**
 * Signs an assertion that is issued at `now` (ms) and valid for an hour, the longest that the service allows. `issuer` must be
 * exactly the audience. It is dated a few seconds back, since our clock may be ahead of the service's.
 */
async function signAssertion(
  { keyId, userId, key }: ReturnType<typeof readKeyFile>,
  issuer: string,
  now: number,
) {
  const { SignJWT } = await import('jose');
  const issued = Math.floor(now / 1000) - 5;
  return new SignJWT()
    .setProtectedHeader({ alg: 'RS256', kid: keyId })
    .setIssuer(userId)
    .setSubject(userId)
    .setAudience(issuer)
    .setIssuedAt(issued)
    .setExpirationTime(issued + 3600)
    .sign(key);
}
