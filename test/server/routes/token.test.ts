/** Service users get tokens: by a signed assertion, by a secret, as a personal token. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLocalJWKSet, decodeJwt, importPKCS8, jwtVerify, SignJWT } from 'jose';
import { createPrivateKey } from 'node:crypto';
import { addKey, addSecret } from '../../../src/server/accounts.ts';
import {
  apiScope,
  defaultScope,
  jwtBearerGrant,
  serviceKeyFile,
  type KeyFile,
} from '../../../src/wire/token.ts';
import type { MachineKeyRow } from '../../../src/server/store/rows.ts';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

const issuer = 'http://localhost';
let server: FullServer;
let file: KeyFile;
/** Making a key takes long: one is made, and given to the user of every server. */
let shared: { file: KeyFile; row: MachineKeyRow };

beforeAll(async () => {
  const { state, users } = createTestServer();
  const made = await addKey(state, users.orgOwner);
  shared = { file: made, row: state.store.machineKeys.get(made.keyId)! };
});

beforeEach(() => {
  server = createTestServer();
  const userId = server.users.orgOwner;
  file = { ...shared.file, userId };
  server.state.store.machineKeys.put({ ...shared.row, orgId: server.orgId, userId });
});

const send = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  server.call('POST /oauth/v2/token', new URLSearchParams(form).toString(), {
    as: 'anonymous',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });

const seconds = () => Math.floor(server.clock.now() / 1000);

async function assertion({
  aud = issuer,
  sub = file.userId,
  kid = file.keyId,
  issued = seconds(),
  expires = seconds() + 3600,
} = {}) {
  const pem = createPrivateKey(file.key).export({ type: 'pkcs8', format: 'pem' }) as string;
  return new SignJWT({})
    .setProtectedHeader({ alg: 'RS256', kid })
    .setIssuer(file.userId)
    .setSubject(sub)
    .setAudience(aud)
    .setIssuedAt(issued)
    .setExpirationTime(expires)
    .sign(await importPKCS8(pem, 'RS256'));
}

const grant = async (claims: Parameters<typeof assertion>[0] = {}, scope = apiScope) =>
  send({ grant_type: jwtBearerGrant, assertion: await assertion(claims), scope });

const meWith = (token: string) => server.call('GET /auth/v1/users/me', undefined, { token });

describe('the JWT profile grant', () => {
  it('returns an access token that opens the API for twelve hours, and a signed id token', async () => {
    const answer = await grant({}, defaultScope);
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 43_199,
      id_token: expect.any(String),
    });
    const { body: keys } = await server.call('GET /oauth/v2/keys', undefined, { as: 'anonymous' });
    const currentDate = new Date(server.clock.now());
    const { payload } = await jwtVerify(answer.body.id_token, createLocalJWKSet(keys), { currentDate });
    const { orgOwner: sub } = server.users;
    expect(payload).toMatchObject({ iss: issuer, sub, azp: sub });
    const token = answer.body.access_token;
    expect((await meWith(token)).body.user.id).toBe(server.users.orgOwner);
    await server.clock.advance(12 * 3_600_000);
    expect(await meWith(token)).toMatchObject({ status: 401, errorId: 'AUTH-7fs1e' });
  });

  it('returns a token without API access if the scope lacks it', async () => {
    const { body } = await grant({}, 'openid');
    expect(await meWith(body.access_token)).toMatchObject({ status: 401, errorId: 'AUTH-7fs1e' });
  });

  it.each([
    ['another audience', { aud: 'https://other' }],
    ['a slash too many', { aud: `${issuer}/` }],
    ['another subject', { sub: '42' }],
    ['an unknown key', { kid: '42' }],
    ['an end in the past', { expires: 1_767_225_600 - 2 }],
    ['an age of more than an hour', { issued: 1_767_225_600 - 3602 }],
  ])('refuses %s', async (_, claims) => {
    expect(await grant(claims)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_description: 'invalid assertion' },
    });
  });

  it('refuses an expired key', async () => {
    const row = server.state.store.machineKeys.get(file.keyId)!;
    const expirationDate = new Date(server.clock.now() + 1000).toISOString();
    server.state.store.machineKeys.put({ ...row, key: { ...row.key, expirationDate } });
    expect((await grant()).status).toBe(200);
    await server.clock.advance(1000);
    expect((await grant()).body.error).toBe('invalid_grant');
  });
});

const credentials = { grant_type: 'client_credentials', scope: apiScope };

it('client credentials are accepted as HTTP Basic and in the form', async () => {
  const secret = addSecret(server.state, server.users.orgOwner);
  const basic = `Basic ${Buffer.from(`org-owner:${encodeURIComponent(secret)}`).toString('base64')}`;
  expect((await send(credentials, { authorization: basic })).body).not.toHaveProperty('id_token');
  const form = { ...credentials, scope: defaultScope, client_id: 'org-owner', client_secret: secret };
  const { body } = await send(form);
  expect(decodeJwt(body.id_token).aud).toContain('org-owner');
  expect((await meWith(body.access_token)).status).toBe(200);
});

it('a machine user made by API gets a key file', async () => {
  const machine = { userName: 'bot', name: 'Bot', accessTokenType: 'ACCESS_TOKEN_TYPE_JWT' };
  const { userId } = (await server.call('POST /management/v1/users/machine', machine)).body;
  const added = await server.call(`POST /management/v1/users/${userId}/keys`, { type: 'KEY_TYPE_JSON' });
  const { keyId, keyDetails } = added.body;
  file = serviceKeyFile.parse(JSON.parse(Buffer.from(keyDetails, 'base64').toString()));
  expect(file).toMatchObject({ type: 'serviceaccount', keyId, userId });
  expect((await grant()).body.access_token.split('.')).toHaveLength(3);
});
