/** What holds for every method: routing, order of processing, headers, refusals. */
import { describe, expect, it } from 'vitest';
import { createTestServer } from '../support/reference-server.ts';

const me = 'GET /auth/v1/users/me';

describe('routing', () => {
  it('answers an unknown path with 404 and a known one with another method with 405', async () => {
    const server = createTestServer();
    expect(await server.call('GET /nowhere')).toMatchObject({
      status: 404,
      body: { code: 5, message: 'Not Found' },
    });
    expect(await server.call('DELETE /auth/v1/users/me')).toMatchObject({
      status: 405,
      body: { code: 12, message: 'Method Not Allowed' },
    });
    expect((await server.call('POST /v3alpha/nowhere')).body).not.toHaveProperty('details');
  });
});

describe('the token', () => {
  it.each([
    [{}, { code: 16, message: 'auth header missing' }],
    [
      { authorization: 'Basic abc' },
      { code: 16, message: 'invalid auth header (AUTH-toLo1)', details: [{ id: 'AUTH-toLo1' }] },
    ],
    [{ authorization: 'bearer abc' }, { message: 'invalid auth header (AUTH-toLo1)' }],
    [{ authorization: 'Bearer a b' }, { message: 'invalid auth header (AUTH-toLo1)' }],
    [
      { authorization: 'Bearer nope' },
      { code: 16, message: 'Errors.Token.Invalid (AUTH-7fs1e)', details: [{ id: 'AUTH-7fs1e' }] },
    ],
  ])('%j is refused with 401', async (headers, body) => {
    const answer = await createTestServer().call(me, undefined, { as: 'anonymous', headers });
    expect(answer).toMatchObject({ status: 401, body });
    expect(answer.headers.get('www-authenticate')).toBe(answer.body.message);
  });

  it('has no details when the header is missing', async () => {
    expect((await createTestServer().call(me, undefined, { as: 'anonymous' })).body).toEqual({
      code: 16,
      message: 'auth header missing',
    });
  });

  it('dies at its time', async () => {
    const server = createTestServer();
    const { store } = server.state;
    const token = { ...store.tokens.get(server.tokens.iamOwner)!, expires: server.clock.now() + 1000 };
    store.tokens.put(token);
    expect((await server.call(me)).status).toBe(200);
    await server.clock.advance(1000);
    expect((await server.call(me)).status).toBe(401);
  });
});

describe('the org header', () => {
  it('refuses an org that does not exist and reads an empty one as absent', async () => {
    const server = createTestServer();
    expect(await server.call(me, undefined, { orgId: '42' })).toMatchObject({
      status: 403,
      body: { code: 7, message: "Organisation doesn't exist (AUTH-Bs7Ds)" },
    });
    expect((await server.call(me, undefined, { orgId: '' })).status).toBe(200);
  });
});

describe('success', () => {
  it('carries the headers of the service', async () => {
    const { headers } = await createTestServer().call(me);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      pragma: 'no-cache',
      expires: 'Thu, 01 Jan 2026 00:00:00 GMT',
      'grpcgateway-content-type': 'application/grpc',
    });
  });
});

describe('the body', () => {
  it('comes before the token: what is no JSON is 400 even without a right', async () => {
    const answer = await createTestServer().call('POST /auth/v1/memberships/me/_search', '{"query"', {
      as: 'anonymous',
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 3, message: 'unexpected EOF' } });
    expect(answer.body).not.toHaveProperty('details');
  });
});

describe('the host', () => {
  it('must be one of the instance', async () => {
    const server = createTestServer({ hosts: ['id.example.com'] });
    expect(await server.call(me, undefined, { headers: { host: 'other.example.com' } })).toMatchObject({
      status: 404,
      body: {
        code: 5,
        message: expect.stringMatching(/^unable to set instance using origin .*other\.example\.com/),
      },
    });
    expect((await server.call(me, undefined, { headers: { host: 'id.example.com' } })).status).toBe(200);
  });
});
