/** A password opens a session; a wrong one is counted, may lock, and never opens one. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../support/reference-server.ts';

let server: TestServer;
beforeEach(async () => {
  server = createTestServer();
  await server.call('POST /v2/users/human', {
    userId: 'ada',
    username: 'ada',
    profile: { givenName: 'A', familyName: 'L' },
    email: { email: 'a@b.c', isVerified: true },
    password: { password: 'Right-123' },
  });
});

const login = (password: string, user: object = { loginName: 'ada' }) =>
  server.call('POST /v2/sessions', { checks: { user, password: { password } } });
const row = () => server.state.store.users.get('ada')!;

describe('a session', () => {
  it.each([[{ loginName: 'ADA' }], [{ userId: 'ada' }]])(
    'opens for %j with the right password',
    async (user) => {
      const { body } = await login('Right-123', user);
      expect(body).toMatchObject({ sessionId: expect.any(String), sessionToken: expect.any(String) });
    },
  );

  it('is refused for a wrong one, with the count', async () => {
    await login('wrong');
    expect((await login('wrong')).body).toEqual({
      code: 3,
      message: 'Password is invalid (COMMAND-3M0fs)',
      details: [
        {
          '@type': 'type.googleapis.com/zitadel.v1.CredentialsCheckError',
          id: 'COMMAND-3M0fs',
          message: 'Password is invalid',
          failedAttempts: 2,
        },
      ],
    });
    await login('Right-123');
    expect(row().more?.failedAttempts).toBeUndefined();
  });

  it('renews a hash of another algorithm at the first login', async () => {
    expect(row().passwordHash).toBe('$test$Right-123');
    const renewed = createTestServer({
      verifyPassword: () => Promise.resolve(true),
      hashPassword: () => Promise.resolve('$2a$new'),
    });
    renewed.state.store.users.put({ ...row(), orgId: renewed.orgId });
    await renewed.call('POST /v2/sessions', {
      checks: { user: { userId: 'ada' }, password: { password: 'x' } },
    });
    expect(renewed.state.store.users.get('ada')?.passwordHash).toBe('$2a$new');
  });

  it.each([
    ['nobody', { loginName: 'nobody' }, {}, 404, 'QUERY-Dfbg2'],
    ['a locked user', { userId: 'ada' }, { status: 'locked' }, 400, 'SESSION-Gj4ko'],
    ['an inactive user', { userId: 'ada' }, { status: 'inactive' }, 400, 'SESSION-Gj4ko'],
    ['an initial user', { userId: 'ada' }, { status: 'initial' }, 400, 'SESSION-Gj4ko'],
    ['a user without a password', { userId: 'ada' }, { passwordHash: '' }, 400, 'COMMAND-3nJ4t'],
  ] as const)('is refused for %s', async (_, user, change, status, id) => {
    server.state.store.users.put({ ...row(), ...change });
    expect(await login('Right-123', user)).toMatchObject({ status, body: { details: [{ id }] } });
  });

  it('answers 500 where nothing can verify the stored hash', async () => {
    const broken = createTestServer({ verifyPassword: () => Promise.reject(new Error('no verifier')) });
    broken.state.store.users.put({ ...row(), orgId: broken.orgId });
    expect(
      await broken.call('POST /v2/sessions', {
        checks: { user: { userId: 'ada' }, password: { password: 'x' } },
      }),
    ).toMatchObject({ status: 500, body: { code: 13, details: [{ id: 'COMMAND-CahN2' }] } });
  });

  it('locks after as many failures as the org allows', async () => {
    const { store } = server.state;
    store.orgs.put({
      ...store.orgs.get(server.orgId)!,
      lockoutPolicy: { maxPasswordAttempts: 2, maxOtpAttempts: 0 },
    });
    await login('wrong');
    expect(row().status).toBe('active');
    await login('wrong');
    expect(row().status).toBe('locked');
    expect((await login('Right-123')).body.details[0].id).toBe('SESSION-Gj4ko');
  });

  it('needs a user where there is a password to check', async () => {
    const answer = await server.call('POST /v2/sessions', { checks: { password: { password: 'x' } } });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ id: 'COMMAND-Sfw3f' }] } });
    expect((await server.call('POST /v2/sessions', {})).status).toBe(201);
  });
});
