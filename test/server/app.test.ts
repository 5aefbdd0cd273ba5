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
