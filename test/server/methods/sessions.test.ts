/** Passwords at sessions: hashes that change, users who are locked meanwhile. Plain calls are in `fixtures/service-calls.yaml`. */
import { beforeEach, expect, it } from 'vitest';
import { createTestServer, type FullServer, userV2 } from '../../support/full-server.ts';

let server: FullServer;
const start = async (settings: Parameters<typeof createTestServer>[0] = {}) => {
  server = createTestServer(settings);
  await server.call('POST /v2/users/human', userV2('ada', { password: { password: 'Right-123' } }));
};
beforeEach(() => start());

const open = (checks: object = {}) =>
  server.call('POST /v2/sessions', { checks: { user: { userId: 'ada' }, ...checks } });
const login = (password: string) => open({ password: { password } });
const row = () => server.state.store.users.get('ada')!;

it('a password check rehashes at the first login if the hash has another algorithm', async () => {
  const hashes = ['$test$Right-123', '$2a$new'];
  await start({
    verifyPassword: () => Promise.resolve(true),
    hashPassword: () => Promise.resolve(hashes.shift()!),
  });
  expect(row().passwordHash).toBe('$test$Right-123');
  await login('x');
  expect(row().passwordHash).toBe('$2a$new');
});

it('a password check answers 500 if no verifier knows the hash', async () => {
  await start({ verifyPassword: () => Promise.reject(new Error('no verifier')) });
  expect(await login('x')).toMatchObject({ status: 500, body: { code: 13 }, errorId: 'COMMAND-CahN2' });
});

it('a password check with the right password fails if the user was locked meanwhile', async () => {
  const verifyPassword = async () => Boolean(server.state.store.users.put({ ...row(), status: 'locked' }));
  await start({ verifyPassword });
  expect((await login('Right-123')).errorId).toBe('COMMAND-SFA3t');
});

it('a session stays deleted if it is deleted during a check', async () => {
  await start({ verifyPassword: async () => (await server.call(`DELETE ${path}`, {})).status === 200 });
  const path = `/v2/sessions/${(await open()).body.sessionId}`;
  const checks = { password: { password: 'x' } };
  expect((await server.call(`PATCH ${path}`, { checks })).errorId).toBe('COMMAND-Hewfq');
  expect((await server.call(`GET ${path}`)).status).toBe(404);
});
