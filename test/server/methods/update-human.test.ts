/** Changes of human users by version 2, and above all of their passwords. */
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
  it('stores a hash whatever the policy of passwords', async () => {
    expect(await put({ password: { hashedPassword: { hash: bcrypt, changeRequired: true } } })).toMatchObject(
      {
        status: 200,
        body: { details: { sequence: '3', resourceOwner: server.orgId } },
      },
    );
    expect(row()).toMatchObject({ passwordHash: bcrypt, more: { passwordChangeRequired: true } });
  });

  it('hashes a password that the policy takes, and asks for the current one where that is given', async () => {
    expect((await put({ password: { password: { password: 'abc' } } })).body.details[0].id).toBe(
      'COMMA-HuJf6',
    );
    expect((await put({ password: { password: { password: 'First-123' } } })).status).toBe(200);
    expect(await login('First-123')).toBe(201);
    const password = { password: { password: 'Second-123' }, currentPassword: 'wrong' };
    expect((await put({ password })).body.details[0].id).toBe('COMMAND-3M0fs');
    expect((await put({ password: { ...password, currentPassword: 'First-123' } })).status).toBe(200);
    expect(await login('Second-123')).toBe(201);
  });

  it('changes what is sent and leaves the rest', async () => {
    const answer = await put({
      username: ' Ada L ',
      profile: { givenName: 'Ada', familyName: 'Lovelace', nickName: 'al' },
      email: { email: 'ada@b.c', returnCode: {} },
      phone: { phone: '+41791234567', isVerified: true },
    });
    expect(answer.body.emailCode).toMatch(/^[A-Z0-9]{6}$/);
    expect(row()).toMatchObject({
      userName: 'Ada L',
      firstName: 'Ada',
      email: 'ada@b.c',
      emailVerified: false,
      more: { nickName: 'al', phone: '+41791234567', phoneVerified: true },
    });
    await put({ profile: { givenName: 'Augusta', familyName: 'King' } });
    expect(row()).toMatchObject({ userName: 'Ada L', email: 'ada@b.c', more: { nickName: 'al' } });
  });

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

  it('sends no email about a password where the policy of the organization says so', async () => {
    await server.call('POST /management/v1/policies/notification', { passwordChange: false });
    expect((await patch({ password: { hashedPassword: { hash: bcrypt } } })).status).toBe(200);
    expect(sent()).toEqual([]);
  });

  it('changes a service user, and no human', async () => {
    const machine = { name: 'Bot' };
    await server.call('POST /v2/users/new', { organizationId: server.orgId, userId: 'bot', machine });
    await server.call('PATCH /v2/users/bot', { username: 'robot', machine: { name: 'Robot' } });
    expect(server.state.store.users.get('bot')).toMatchObject({ userName: 'robot', more: { name: 'Robot' } });
    expect((await server.call('PATCH /v2/users/ada', { machine })).status).toBe(404);
  });
});
