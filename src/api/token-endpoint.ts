/** Gets an access token: finds the token endpoint in the discovery document and asks it. */
import { ApiError } from './api-error.ts';
import type { Clock } from '../lib/clock.ts';
import { NetworkFailure } from './network.ts';
import { defaultScope, discovery, tokenResponse } from '../wire/token.ts';
import type { ApiRequest, Send } from './send.ts';

/** What a client hands to its credentials: their requests go through the same queue as all others. */
export interface TokenContext {
  readonly url: string;
  readonly send: Send;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

export interface IssuedToken {
  readonly token: string;
  /** Milliseconds from the request on. */
  readonly lifetime: number;
}

const defaultLifetime = 3_600_000;

/** `grant` gets the issuer and gives the form fields; `basic` goes into the Authorization header. */
export async function requestToken(
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
      ...(basic === undefined ? {} : { authorization: basicHeader(basic) }),
    },
    body: new URLSearchParams({ ...(await grant(issuer)), scope: defaultScope }).toString(),
    timeout: 30_000,
    // A second token does no harm.
    repeat: 'safe',
  });
  return { token, lifetime: seconds === undefined ? defaultLifetime : seconds * 1000 };
}

async function discover(context: TokenContext): Promise<{ issuer: string; endpoint: string }> {
  const url = `${context.url}/.well-known/openid-configuration`;
  const { issuer, token_endpoint: endpoint } = await ask(context, discovery, {
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    timeout: 30_000,
    repeat: 'safe',
  });
  // An assertion is as good as a password: if the service uses TLS, so must its token endpoint.
  const weaker = context.url.startsWith('https:') && !endpoint.startsWith('https:');
  if (weaker || !URL.canParse(endpoint)) throw notAnIdentityService(context.url, url);
  return { issuer, endpoint };
}

async function ask<Value>(
  { url, send, signal }: TokenContext,
  schema: { parse(value: unknown): Value },
  request: ApiRequest,
): Promise<Value> {
  const response = await send({ ...request, signal }).catch((error: unknown) => {
    throw error instanceof NetworkFailure ? new ApiError(request, error) : error;
  });
  if (response.status !== 200) throw new ApiError(request, response);
  try {
    return schema.parse(JSON.parse(response.text));
  } catch {
    throw notAnIdentityService(url, request.url);
  }
}

function notAnIdentityService(base: string, url: string): ApiError {
  const request: ApiRequest = { method: 'GET', url, headers: {}, timeout: 0, repeat: 'safe' };
  const text = `this is not the response of an identity service; is ${base} the base of an instance?`;
  return new ApiError(request, { status: 404, headers: {}, text });
}

/** Both parts are form-encoded first (RFC 6749, 2.3.1). */
function basicHeader({ id, secret }: { id: string; secret: string }): string {
  const encode = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+');
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
}
