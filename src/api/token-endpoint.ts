/** A grant in, an access token out: asks the discovery document where, and the token endpoint for it. */
import { ApiError } from './api-error.ts';
import type { TokenContext } from './credentials.ts';
import { NetworkFailure } from './network.ts';
import { defaultScope, discovery, tokenResponse } from '../wire/token.ts';
import type { ApiRequest } from './send.ts';

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
  const answer = await ask(context, tokenResponse, {
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
  const { access_token: token, expires_in: seconds } = answer;
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
  // An assertion is as good as a password: it goes to no weaker place than the one that was asked for.
  const weaker = context.url.startsWith('https:') && !endpoint.startsWith('https:');
  if (weaker || !URL.canParse(endpoint)) throw noSense(context, url);
  return { issuer, endpoint };
}

async function ask<Answer>(
  context: TokenContext,
  schema: { parse(value: unknown): Answer },
  request: ApiRequest,
): Promise<Answer> {
  const { send, signal } = context;
  const full = signal === undefined ? request : { ...request, signal };
  const end = await send(full).catch((error: unknown) => {
    if (error instanceof NetworkFailure) return error;
    throw error;
  });
  if (end instanceof NetworkFailure || end.status !== 200) throw new ApiError(request, end);
  try {
    return schema.parse(JSON.parse(end.text));
  } catch {
    throw noSense(context, request.url);
  }
}

function noSense(context: TokenContext, url: string): ApiError {
  const request: ApiRequest = { method: 'GET', url, headers: {}, timeout: 0, repeat: 'safe' };
  const text = `this is not the answer of an identity service; is ${context.url} the base of an instance?`;
  return new ApiError(request, { status: 404, headers: {}, text });
}

/** Both parts are form-encoded first (RFC 6749, 2.3.1). */
function basicHeader({ id, secret }: { id: string; secret: string }): string {
  const encode = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+');
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`;
}
