/** Tokens of the client: by a private key, by a secret, from a file; when they are renewed. */
import { generateKeyPairSync } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  authorize,
  fixedToken,
  keyFile,
  tokenFromFile,
  type Credentials,
} from '../../src/api/credentials.ts';
import type { ApiRequest, Send } from '../../src/api/send.ts';
import { createFakeClock } from '../support/clock.ts';
import { aRequest, toResponse, type Step } from '../support/script.ts';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

const shortKeys = generateKeyPairSync('rsa', { modulusLength: 1024 });
const pemOf = ({ privateKey }: typeof keys) => privateKey.export({ type: 'pkcs8', format: 'pem' });

/** As the service hands it out: PKCS#1 inside JSON. */
function aKeyFile(overrides: object = {}) {
  const key = keys.privateKey.export({ type: 'pkcs1', format: 'pem' });
  return JSON.stringify({ type: 'serviceaccount', keyId: '77', key, userId: '99', ...overrides });
}

/** A service that gives out token-1, token-2, ... */
function openAt(
  credentials: Credentials,
  answer: (n: number) => Step = defaultAnswer,
  url = 'https://id.example',
  discovery: unknown = { issuer: url, token_endpoint: `${url}/oauth/v2/token` },
) {
  const clock = createFakeClock();
  const forms: URLSearchParams[] = [];
  const requests: ApiRequest[] = [];
  const send: Send = async (request) => {
    requests.push(request);
    if (request.url === `${url}/.well-known/openid-configuration`) return toResponse({ body: discovery });
    expect(request.url).toBe(`${url}/oauth/v2/token`);
    forms.push(new URLSearchParams(request.body));
    return toResponse(answer(forms.length));
  };
  return { tokens: credentials({ url, send, clock }), clock, forms, requests };
}
const withKey = (answer?: (n: number) => Step) => openAt(keyFile('key.json', aKeyFile()), answer);

function defaultAnswer(n: number): Step {
  return { body: { access_token: `token-${n}`, token_type: 'Bearer', expires_in: 43_199 } };
}

describe('keyFile', () => {
  it.each([
    ['https://id.example', 'https://id.example', true],
    ['http://id.example', 'https://id.example', true],
    ['https://id.example', 'https://ID.EXAMPLE/', true],
    ['https://id.example', 'https://other.example', false],
    ['https://id.example:8443', 'https://id.example', false],
    ['https://id.example', 'https://id.example.evil', false],
    ['https://id.example', 'something', false],
  ])('signs at %s for the issuer %s: %s', async (url, issuer, signs) => {
    const discovery = { issuer, token_endpoint: `${url}/oauth/v2/token` };
    const { tokens, forms } = openAt(keyFile('key.json', aKeyFile()), defaultAnswer, url, discovery);
    const token = await Promise.resolve(tokens.get()).catch((error: { code: string }) => error.code);
    expect([token, forms.length]).toEqual(signs ? ['token-1', 1] : ['token:issuer', 0]);
  });

  it('signs an assertion that the service can verify', async () => {
    const { tokens, forms, clock } = withKey();
    expect(await tokens.get()).toBe('token-1');
    const form = forms[0];
    expect(form?.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    expect(form?.get('scope')).toContain('urn:zitadel:iam:org:project:id:zitadel:aud');
    const assertion = form?.get('assertion') ?? '';
    const { payload } = await jwtVerify(assertion, keys.publicKey, {
      audience: 'https://id.example',
      issuer: '99',
      currentDate: new Date(clock.now()),
    });
    expect(payload.sub).toBe('99');
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
    expect(decodeProtectedHeader(assertion)).toMatchObject({ alg: 'RS256', kid: '77' });
  });

  it('requests one token for concurrent calls, and a new one before it expires', async () => {
    const { tokens, forms, clock } = withKey();
    expect(await Promise.all([tokens.get(), tokens.get(), tokens.get()])).toEqual(Array(3).fill('token-1'));
    await clock.advance((43_199 - 61) * 1000);
    expect(await tokens.get()).toBe('token-1');
    await clock.advance(2000);
    expect(await tokens.get()).toBe('token-2');
    expect(forms).toHaveLength(2);
  });

  it('requests a token again after a failure, which has a hint', async () => {
    const body = { error: 'invalid_grant', error_description: 'invalid assertion' };
    const { tokens } = withKey((n) => (n === 1 ? { status: 400, body } : defaultAnswer(n)));
    const hint = expect.stringContaining('clock of this machine');
    await expect(tokens.get()).rejects.toMatchObject({ name: 'ApiError', status: 400, hint });
    expect(await tokens.get()).toBe('token-2');
  });

  it.each([
    ['not JSON', () => 'MII...', /not the key file of a service account/],
    ['the key of an application', () => aKeyFile({ type: 'application' }), /application/],
    ['without user', () => aKeyFile({ userId: undefined }), /not the key file/],
    [
      'of another kind of key',
      () => aKeyFile({ key: pemOf(generateKeyPairSync('ed25519')) }),
      /not an RSA key/,
    ],
    ['of a short key', () => aKeyFile({ key: pemOf(shortKeys) }), /not an RSA key of at least 2,048 bits/],
    ['a broken key', () => aKeyFile({ key: 'nonsense' }), /private key in it cannot be read/],
  ])('refuses a file that is %s by name', (_, json, message) => {
    const named = new RegExp(`^key\\.json.*${message.source}`);
    expect(() => keyFile('key.json', json())).toThrow(named);
  });
});

it('client credentials are form-encoded in the header', async () => {
  const client = JSON.stringify({ clientId: 'robot@acme', clientSecret: 's:e c/ret' });
  const { tokens, forms, requests } = openAt(keyFile('client.json', client));
  expect(await tokens.get()).toBe('token-1');
  expect(forms[0]?.get('grant_type')).toBe('client_credentials');
  const header = requests[1]?.headers['authorization'] ?? '';
  const text = Buffer.from(header.replace('Basic ', ''), 'base64').toString();
  expect(text).toBe('robot%40acme:s%3Ae+c%2Fret');
});

it.each([
  [
    'of something that is no identity service',
    '<html>hello</html>',
    {
      code: 'token:no-user',
      message:
        'GET https://id.example/.well-known/openid-configuration: this is not the response of an identity service',
    },
  ],
  [
    'with an address without TLS, which gets no assertion',
    { issuer: 'https://id.example', token_endpoint: 'http://id.example/oauth/v2/token' },
    { code: 'token:issuer', message: /names a token endpoint without TLS: http:/ },
  ],
])('discovery %s is refused', async (_, body, error) => {
  const { tokens } = openAt(keyFile('key.json', aKeyFile()), defaultAnswer, undefined, body);
  await expect(tokens.get()).rejects.toMatchObject(error);
});

it('tokenFromFile reads the file again after a refusal', async () => {
  let content = 'old\n';
  const { tokens } = openAt(tokenFromFile('token.txt', () => content));
  expect(await tokens.get()).toBe('old');
  expect(tokens.renew('old')).toBe(false);
  content = 'new\n';
  expect(tokens.renew('old')).toBe(true);
  expect(await tokens.get()).toBe('new');
});

it.each([
  ['', /no token/],
  ['{"type": "serviceaccount"}', /--key-file|not one token/],
  ['one\ntwo', /not one token/],
])('tokenFromFile refuses a file that holds %j', (content, message) => {
  const credentials = tokenFromFile('token.txt', () => content);
  expect(() => openAt(credentials)).toThrow(message);
});

const sending = (good: string) => {
  const seen: string[] = [];
  const send: Send = async ({ headers }) => {
    const header = headers['authorization'] ?? '';
    seen.push(header);
    return toResponse({ status: header === `Bearer ${good}` ? 200 : 401 });
  };
  return { send, seen };
};

it('authorize renews a refused token once for all waiting requests', async () => {
  const { tokens, forms } = withKey();
  const { send, seen } = sending('token-2');
  const authorized = authorize(tokens, send);
  const answers = await Promise.all([1, 2, 3].map(() => authorized(aRequest())));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(forms).toHaveLength(2);
  expect(seen).toHaveLength(6);
});

it('authorize returns 401 if the token cannot be renewed', async () => {
  const { tokens } = openAt(fixedToken('bad'));
  const { send, seen } = sending('good');
  expect((await authorize(tokens, send)(aRequest())).status).toBe(401);
  expect(seen).toHaveLength(1);
});
