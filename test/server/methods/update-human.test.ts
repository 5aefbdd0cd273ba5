/** Changes of human users by version 2, and above all of their passwords. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
beforeEach(async () => {
  server = createTestServer();
  await server.call('POST /v2/users/human', {
    userId: 'ada',
    username: 'ada',
    profile: { givenName: 'A', familyName: 'L' },
    email: { email: 'a@b.c', isVerified: true },
  });
});

const row = () => server.state.store.users.get('ada')!;
const put = (body: object, user = 'ada') => server.call(`PUT /v2/users/human/${user}`, body);

const login = async (password: string): Promise<number> => {
  const checks = { user: { userId: 'ada' }, password: { password } };
  return (await server.call('POST /v2/sessions', { checks })).status;
};
const bcrypt = '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';

describe('PUT /v2/users/human/{id}', () => {
  it.each([
    [{ username: 'ADA' }, 200, undefined],
    [{ username: 'org-owner' }, 409, 'V3-DKcYh'],
    [{ password: { hashedPassword: { hash: 'md5' } } }, 400, 'CRYPT-r8Qm2'],
    [{ password: { password: { password: 'Right-123' }, verificationCode: 'x' } }, 400, 'COMMAND-2M9fs'],
  ])('%j is answered with %i %s', async (body, status, id) => {
    const answer = await put(body);
    expect([answer.status, answer.body.details?.[0]?.id]).toEqual([status, id]);
  });
});

describe('a user who is deleted while a password is hashed', () => {
  const gone = (hash: string) => async () => {
    server.state.store.users.delete('ada');
    return hash;
  };

  it.each([
    ['by PUT', () => put({ password: { password: { password: 'Right-123' } } })],
    [
      'by a login',
      () =>
        server.call('POST /v2/sessions', {
          checks: { user: { userId: 'ada' }, password: { password: 'x' } },
        }),
    ],
  ])('stays deleted: %s', async (_, change) => {
    const verifyPassword = async () => gone('')().then(() => true);
    if (_ === 'by a login') await put({ password: { hashedPassword: { hash: bcrypt } } });
    Object.assign(server.state.settings, { hashPassword: gone(bcrypt), verifyPassword });
    expect((await change()).status).toBe(404);
    expect(server.state.store.users.has('ada')).toBe(false);
  });
});

it('an unlocked user has all attempts again', async () => {
  await put({ password: { hashedPassword: { hash: bcrypt } } });
  await login('wrong');
  expect(row().more?.failedAttempts).toBe(1);
  for (const change of ['lock', 'unlock']) await server.call(`POST /v2/users/ada/${change}`, {});
  expect(row().more?.failedAttempts).toBeUndefined();
});

describe('PATCH /v2/users/{id}', () => {
  const patch = (human: object) => server.call('PATCH /v2/users/ada', { human });
  const sent = () => Array.from(server.state.store.notifications.values(), ({ kind, to }) => `${kind} ${to}`);

  it.each([
    [{ profile: { givenName: 'New' } }, []],
    [{ email: { email: 'a@b.c', isVerified: false } }, []],
    [{ email: { email: 'n@b.c', isVerified: true } }, []],
    [{ email: { email: 'n@b.c', returnCode: {} } }, []],
    [{ email: { email: 'n@b.c', isVerified: false } }, ['verify-email n@b.c']],
    [{ email: { email: 'n@b.c' } }, ['verify-email n@b.c']],
    [{ phone: { phone: '+41791234567', isVerified: true } }, []],
    [{ phone: { phone: '+41791234567' } }, ['verify-phone +41791234567']],
    [{ password: { hashedPassword: { hash: bcrypt } } }, ['password-changed a@b.c']],
  ])('%j sends %j', async (human, expected) => {
    expect((await patch(human)).status).toBe(200);
    expect(sent()).toEqual(expected);
  });

  it('changes a service user, and no human', async () => {
    const machine = { name: 'Bot' };
    await server.call('POST /v2/users/new', { organizationId: server.orgId, userId: 'bot', machine });
    await server.call('PATCH /v2/users/bot', { username: 'robot', machine: { name: 'Robot' } });
    expect(server.state.store.users.get('bot')).toMatchObject({ userName: 'robot', more: { name: 'Robot' } });
    expect((await server.call('PATCH /v2/users/ada', { machine })).status).toBe(404);
  });
});
