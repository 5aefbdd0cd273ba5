/** Ways to get a token: a fixed one, one from a file, a private key (JWT profile), client credentials. */
import { IdportError, InputError } from '../errors.ts';
import { tryParseJson } from '../lib/json-value.ts';
import { clientSecret, jwtBearerGrant } from '../wire/token.ts';
import { readKeyFile, signAssertion } from './key-file.ts';
import type { ApiRequest, Send } from './send.ts';
import { requestToken, type IssuedToken, type TokenContext } from './token-endpoint.ts';

export interface TokenSource {
  /** A token that is good for at least another minute, as far as can be known; at once where there is one. */
  get(): string | Promise<string>;
  /** The service refused this token: forget it. False where no other can be had. */
  renew(refused: string): boolean;
}

export interface Credentials {
  open(context: TokenContext): TokenSource;
}

/** A personal access token, or one made elsewhere. */
export function fixedToken(token: string): Credentials {
  return { open: () => ({ get: () => token, renew: () => false }) };
}

/**
 * A token from a file, which is read again when the service refuses the token: something may have renewed it.
 * Throws `InputError` where the file has none.
 */
export function tokenFromFile(path: string, read: (path: string) => string): Credentials {
  return {
    open: () => {
      let token = oneToken(path, read(path));
      return {
        get: () => token,
        renew: (refused) => {
          token = oneToken(path, read(path));
          return token !== refused;
        },
      };
    },
  };
}

/**
 * JWT with private key, the recommended way; or client credentials, where the file has these as the service gives them out:
 * `{"clientId","clientSecret"}`. `json` is the content of the file, `path` its name in messages.
 */
export function keyFile(path: string, json: string): Credentials {
  const client = clientSecret.safeParse(tryParseJson(json));
  if (client.success) return clientCredentials(client.data.clientId, client.data.clientSecret);
  const key = readKeyFile(path, json);
  return {
    open: (context) =>
      renewing(context, async () =>
        requestToken(context, async (issuer) => {
          refuseOtherIssuer(context.url, issuer);
          const assertion = await signAssertion(key, issuer, context.clock.now());
          return { grant_type: jwtBearerGrant, assertion };
        }),
      ),
  };
}

/** An assertion can be used at its issuer: the service that gets it must not be at another host. */
function refuseOtherIssuer(url: string, issuer: string): void {
  if (URL.canParse(issuer)) {
    const [asked, named] = [new URL(url), new URL(issuer)];
    // A proxy may take TLS away; then the ports differ too.
    const samePort = asked.protocol !== named.protocol || asked.port === named.port;
    if (asked.hostname === named.hostname && samePort) return;
  }
  throw new IdportError('token:issuer', `${url} names another issuer: ${issuer}`, {
    hint: 'Nothing was signed. Give the address of the issuer with --url, if it is the service that you mean.',
  });
}

/** Id (the user name of a service user) and secret. */
function clientCredentials(id: string, secret: string): Credentials {
  return {
    open: (context) =>
      renewing(context, async () =>
        requestToken(context, async () => ({ grant_type: 'client_credentials' }), { id, secret }),
      ),
  };
}

/** Sends every request with a token; one that the service refuses is renewed once. */
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

/** A token is replaced this long before its end (ms), so that none expires while a request is sent. */
const margin = 60_000;

/** Asks for one token for all requests that wait, and again when the token is about to expire. */
function renewing({ clock }: TokenContext, issue: () => Promise<IssuedToken>): TokenSource {
  let current: { token: string; endsAt: number } | undefined;
  let asking: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    const askedAt = clock.monotonic();
    try {
      const { token, lifetime } = await issue();
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
}

/** A text that is one token: no spaces, no line breaks, nothing that cannot stand in a header. */
export function oneToken(name: string, text: string): string {
  const token = text.trim();
  if (token === '') {
    throw new InputError('input:empty', name, 'there is no token in it');
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new InputError(
      'input:token',
      name,
      'this is not one token: it has spaces or other characters in it',
      {
        hint: 'Put only the token into the file. For the key file of a service user (JSON) use --key-file.',
      },
    );
  }
  return token;
}
