/** Ways to come by a token: a fixed one, a private key (JWT profile), client credentials. */
import type { Clock } from '../lib/clock.ts';
import { InputError } from '../errors.ts';
import { jwtBearerGrant } from '../wire/token.ts';
import { readKeyFile, signAssertion } from './key-file.ts';
import type { ApiAnswer, ApiRequest, Dispatch, Send, Waiter } from './send.ts';
import { requestToken, type IssuedToken } from './token-endpoint.ts';

/** What a client hands to its credentials: requests of theirs stand in the same line as all others. */
export interface TokenContext {
  readonly url: string;
  readonly send: Send;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

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
 * A token from a file, which is read again when the service refuses the token: an agent may have put a fresh one.
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

/** JWT with private key: the recommended way. `json` is the content of the key file, `path` its name for messages. */
export function keyFile(path: string, json: string): Credentials {
  const key = readKeyFile(path, json);
  return {
    open: (context) =>
      renewing(context, async () =>
        requestToken(context, async (issuer) => ({
          grant_type: jwtBearerGrant,
          assertion: await signAssertion(key, issuer, context.clock.now()),
        })),
      ),
  };
}

/** Id (the user name of a service user) and secret. */
export function clientCredentials(id: string, secret: string): Credentials {
  return {
    open: (context) =>
      renewing(context, async () =>
        requestToken(context, async () => ({ grant_type: 'client_credentials' }), { id, secret }),
      ),
  };
}

/** Gives every request its token; one that is refused is renewed once. */
export function authorize(tokens: TokenSource): (dispatch: Dispatch) => Dispatch {
  const addToken = createBearer();
  const withToken = (request: ApiRequest, token: string): ApiRequest => ({
    ...request,
    headers: addToken(request.headers, token),
  });
  /** Undefined where no other token can be had. */
  const renew = async (refused: string): Promise<string | undefined> =>
    tokens.renew(refused) ? tokens.get() : undefined;
  const dispatchTwice = (dispatch: Dispatch, request: ApiRequest, token: string, waiter: Waiter): void => {
    const failed = (error: unknown): void => waiter.failed(error);
    const answered = (answer: ApiAnswer): void => {
      if (answer.status !== 401) {
        waiter.answered(answer);
        return;
      }
      renew(token).then(
        (renewed) =>
          renewed === undefined ? waiter.answered(answer) : dispatch(withToken(request, renewed), waiter),
        failed,
      );
    };
    dispatch(withToken(request, token), { answered, failed });
  };
  return (dispatch) => (request, waiter) => {
    const token = tokens.get();
    if (typeof token === 'string') {
      dispatchTwice(dispatch, request, token, waiter);
      return;
    }
    token.then(
      (issued) => dispatchTwice(dispatch, request, issued, waiter),
      (error: unknown) => waiter.failed(error),
    );
  };
}

type Headers = ApiRequest['headers'];

/** Most requests of a run have the same headers: those with the token are put together once. */
function createBearer(): (headers: Headers, token: string) => Headers {
  let known = new WeakMap<Headers, Headers>();
  let knownToken = '';
  return (headers, token) => {
    if (token !== knownToken) {
      known = new WeakMap();
      knownToken = token;
    }
    const before = known.get(headers);
    if (before !== undefined) return before;
    const full = { ...headers, authorization: `Bearer ${token}` };
    known.set(headers, full);
    return full;
  };
}

/** A token is replaced so long before its end that none runs out under way. */
const margin = 60_000;

/** Asks once for everybody who waits, and again when the token is about to end. */
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

/** The first line of a text that is one token: no spaces, no line breaks, nothing that cannot stand in a header. */
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
        hint: 'Put the token alone into the file; the key file of a service user (JSON) has a flag of its own.',
      },
    );
  }
  return token;
}
