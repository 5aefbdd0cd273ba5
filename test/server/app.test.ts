/** What holds for every method: the token, the body, the host, and where the server says that it is. */
import { expect, it } from 'vitest';
import { createTestServer } from '../support/full-server.ts';

const me = 'GET /auth/v1/users/me';

it('the server refuses an expired token', async () => {
  const { call, clock, state, tokens } = createTestServer();
  state.store.tokens.put({ ...state.store.tokens.get(tokens.iamOwner)!, expires: clock.now() + 1000 });
  expect((await call(me)).status).toBe(200);
  await clock.advance(1000);
  expect((await call(me)).status).toBe(401);
});

it('the server answers 400 to invalid JSON before it checks the token', async () => {
  const { call } = createTestServer();
  const { status, body } = await call('POST /auth/v1/memberships/me/_search', '{"query"', {
    as: 'anonymous',
  });
  expect([status, body]).toEqual([400, { code: 3, message: 'unexpected EOF' }]);
});

it('the server answers 404 for an unknown host', async () => {
  const { call } = createTestServer({ hosts: ['id.example.com'] });
  const at = (host: string) => call(me, undefined, { headers: { host } });
  const message = /^unable to set instance using origin .*other\.example\.com/;
  expect(await at('other.example.com')).toMatchObject({ status: 404, body: { code: 5, message } });
  expect((await at('id.example.com')).status).toBe(200);
});

it.each([
  [{}, 'http://localhost'],
  [{ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'id.example.com' }, 'https://id.example.com'],
])('the issuer is the address that the client sees: %j', async (headers: Record<string, string>, issuer) => {
  const route = 'GET /.well-known/openid-configuration';
  const { body } = await createTestServer().call(route, undefined, { as: 'anonymous', headers });
  expect(body).toMatchObject({ issuer, token_endpoint: `${issuer}/oauth/v2/token` });
});
