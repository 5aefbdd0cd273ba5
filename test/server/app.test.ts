/** What holds for every method: routing, order of processing, headers, refusals. */
import { describe, expect, it } from 'vitest';
import { createTestServer } from '../support/full-server.ts';

const me = 'GET /auth/v1/users/me';

describe('the token', () => {
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
