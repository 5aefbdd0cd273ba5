/** Recovery codes, and codes for a passkey, a new password and an invitation. */
import { beforeEach, expect, it } from 'vitest';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
const add = (userId: string, more: object = {}) =>
  server.call('POST /v2/users/human', {
    userId,
    username: userId,
    profile: { givenName: 'A', familyName: 'L' },
    email: { email: `${userId}@b.c`, isVerified: true },
    ...more,
  });
beforeEach(async () => {
  server = createTestServer();
  await add('new');
  await add('ada', {
    password: { password: 'Password-1' },
    phone: { phone: '+41791234567', isVerified: true },
  });
});

const idOf = ({ body }: { body: any }): string => body.details[0].id;

it('sends the others, and shows no code', async () => {
  const sms = { sendLink: { notificationType: 'NOTIFICATION_TYPE_SMS' } };
  const answers = [
    await server.call('POST /v2/users/ada/passkeys/registration_link', {}),
    await server.call('POST /v2/users/ada/password_reset', sms),
    await server.call('POST /v2/users/new/invite_code', { sendCode: { applicationName: 'Acme' } }),
  ];
  for (const { status, body } of answers) expect([status, Object.keys(body)]).toEqual([200, ['details']]);
  const sent = [...server.state.store.notifications.values()];
  expect(sent.map(({ kind, reason, to }) => [kind, reason, to])).toEqual([
    ['passwordless', 'requested', 'ada@b.c'],
    ['password-reset', 'requested', '+41791234567'],
    ['invite', 'requested', 'new@b.c'],
  ]);
});

it('keeps hashes of ten recovery codes at most', async () => {
  const generate = (count: number) => server.call('POST /v2/users/ada/recovery_codes', { count });
  const { recoveryCodes } = (await generate(7)).body;
  expect(recoveryCodes).toHaveLength(7);
  for (const code of recoveryCodes) expect(code).toMatch(/^[a-z0-9]{5}-[a-z0-9]{5}$/);
  const kept = recoveryCodes.map((code: string) => `$test$${code}`);
  expect(server.state.store.users.get('ada')?.more?.recoveryCodes).toEqual(kept);
  expect(idOf(await generate(4))).toBe('COMMAND-8f2k9');
  for (const count of [0, 11]) expect(idOf(await generate(count))).toBe('COMMAND-7c0nx');
});

it.each([
  ['nope/recovery_codes', 400, 'COMMAND-uXHNj'],
  ['nope/passkeys/registration_link', 400, 'COMMAND-uXHNj'],
  ['nope/password_reset', 404, 'COMMAND-SAF4f'],
  ['nope/invite_code', 400, 'COMMAND-Wgvn4'],
  ['ada/invite_code', 400, 'COMMAND-EF34g'],
])('refuses %s with %i, %s', async (path, status, id) => {
  const answer = await server.call(`POST /v2/users/${path}`, { count: 1 });
  expect([answer.status, idOf(answer)]).toEqual([status, id]);
});
