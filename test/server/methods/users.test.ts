/** Users: limits of a search, and what happens to who is deleted meanwhile. Plain calls are in `fixtures/service-calls.yaml`. */
import { beforeEach, describe, expect, it } from 'vitest';
import { addKey } from '../../../src/server/accounts.ts';
import { searchUsers } from '../../../src/server/users/search.ts';
import { createTestServer, type FullServer, someHash, userV2 } from '../../support/full-server.ts';

let server: FullServer;
beforeEach(() => {
  server = createTestServer();
});
const addAda = (more: object = {}) => server.call('POST /v2/users/human', userV2('ada', more));

it('a user search nests up to twenty levels and takes up to 65,535 values', async () => {
  const nested = (levels: number): object =>
    levels === 0 ? { userNameQuery: { userName: 'ada' } } : { orQuery: { queries: [nested(levels - 1)] } };
  const many = (length: number) => ({ inUserIdsQuery: { userIds: Array.from({ length }, () => 'ada') } });
  await addAda();
  const ask = (query: object) => server.call('POST /v2/users', { queries: [query] });
  for (const query of [nested(20), many(65_535)])
    expect((await ask(query)).body.result).toMatchObject([{ userId: 'ada' }]);
  expect(await ask(nested(21))).toMatchObject({ status: 400, errorId: 'USER-zsQ97' });
  expect(await ask(many(65_536))).toMatchObject({ status: 500, errorId: 'QUERY-AG4gs' });
});

it('a user search does not compare users whom the caller may not see', () => {
  const { store } = server.state;
  const seen: string[] = [];
  const userNameQuery = { userName: 'ad', method: 'TEXT_QUERY_METHOD_STARTS_WITH' as const };
  const visible = ({ id }: { id: string }) => seen.push(id) === 0;
  const search = { queries: [{ userNameQuery }], visible, sortBy: 0, offset: 0, limit: 1, ascending: true };
  expect(searchUsers(store, search)).toEqual({ total: 0, rows: [] });
  expect(seen).toHaveLength(store.users.size);
});

describe('a user update', () => {
  beforeEach(() => addAda());
  const put = (body: object) => server.call('PUT /v2/users/human/ada', body);
  const login = () =>
    server.call('POST /v2/sessions', { checks: { user: { userId: 'ada' }, password: { password: 'x' } } });
  const withHash = () => put({ password: { hashedPassword: { hash: someHash } } });

  it.each([
    ['a new password', () => put({ password: { password: { password: 'Right-123' } } })],
    ['a login', login],
  ])('does not restore a user who is deleted while the password of %s is hashed', async (_, change) => {
    await withHash();
    const gone = (value: any) => () => Promise.resolve(server.state.store.users.delete('ada') && value);
    Object.assign(server.state.settings, { hashPassword: gone(someHash), verifyPassword: gone(true) });
    expect((await change()).status).toBe(404);
    expect(server.state.store.users.has('ada')).toBe(false);
  });
});

it('a user is not created if the organization is removed while the password is hashed', async () => {
  const { orgs, users } = server.state.store;
  const hashPassword = async () => {
    orgs.delete(server.orgId);
    return someHash;
  };
  Object.assign(server.state.settings, { hashPassword });
  const created = await server.call(
    'POST /v2/users/human',
    userV2('bob', { password: { password: 'Right-123' } }),
  );
  expect([created.errorId, users.has('bob')]).toEqual(['COMMAND-QXPGs', false]);
});

it('a key of a service user who is deleted meanwhile is refused', async () => {
  const { state, users } = server;
  const key = addKey(state, users.nobody);
  state.store.users.delete(users.nobody);
  await expect(key).rejects.toThrow('COMMAND-bnipwm1');
  expect(state.store.machineKeys.size).toBe(0);
});

it('recovery codes are limited to ten and stored as hashes', async () => {
  await addAda();
  const generate = (count: number) => server.call('POST /v2/users/ada/recovery_codes', { count });
  const { recoveryCodes } = (await generate(7)).body;
  expect(recoveryCodes).toHaveLength(7);
  for (const code of recoveryCodes) expect(code).toMatch(/^[a-z0-9]{5}-[a-z0-9]{5}$/);
  const stored = server.state.store.users.get('ada')?.recoveryCodes;
  expect(stored).toEqual(recoveryCodes.map((code: string) => `$test$${code}`));
  expect((await generate(4)).errorId).toBe('COMMAND-8f2k9');
});
