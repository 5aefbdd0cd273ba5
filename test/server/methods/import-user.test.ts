/** `_import`: the order of its checks, every refusal with its id, what comes back, what would be sent by email. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../support/reference-server.ts';

const route = 'POST /management/v1/users/human/_import';
const hash = '$pbkdf2-sha256$27500$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g';

const sampleUser = (changes: object = {}): Record<string, unknown> => ({
  userName: 'ada',
  profile: { firstName: 'Ada', lastName: 'Lovelace' },
  email: { email: 'ada@example.com', isEmailVerified: true },
  hashedPassword: { value: hash },
  ...changes,
});

let server: TestServer;
const send = (body: unknown) => server.call(route, body);
const emails = () =>
  [...server.state.store.notifications.values()].map(({ kind, reason, to }) => ({ kind, reason, to }));

function addIdp(id: string, allowsCreation = true): void {
  server.state.store.idps.put({
    id,
    orgId: server.orgId,
    name: id,
    created: 0,
    allowsCreation,
    oidc: undefined,
    jwt: undefined,
  });
}

beforeEach(() => {
  server = createTestServer();
});

describe('success', () => {
  it('makes its own id, drops otpCode and recoveryCodes without a word', async () => {
    const { body } = await send(
      sampleUser({ userId: 'mine', otpCode: 'JBSWY3DP', recoveryCodes: [{ raw: 'a' }] }),
    );
    const user = server.state.store.users.get(body.userId);
    expect(body.userId).not.toBe('mine');
    expect(user?.more).toBeUndefined();
  });

  it('trims the user name and the address, nothing else', async () => {
    const { body } = await send(
      sampleUser({
        userName: '  ada  ',
        profile: { firstName: ' Ada ', lastName: ' L ' },
        email: { email: ' Ada@Example.com ', isEmailVerified: true },
      }),
    );
    expect(server.state.store.users.get(body.userId)).toMatchObject({
      userName: 'ada',
      firstName: ' Ada ',
      email: 'Ada@Example.com',
    });
  });

  it('gives a link for a passkey where one was asked for', async () => {
    const { body } = await send(
      sampleUser({ hashedPassword: undefined, requestPasswordlessRegistration: true }),
    );
    expect(body.passwordlessRegistration).toMatchObject({ lifetime: '3600s', expiration: '3600s' });
    const link = new URL(body.passwordlessRegistration.link);
    expect(link.pathname).toBe('/ui/login/login/passwordless/init');
    expect(link.searchParams.get('userID')).toBe(body.userId);
    expect(link.searchParams.get('orgID')).toBe(server.orgId);
  });

  it('lets the hash win over a password, without a change at the next login', async () => {
    const { body } = await send(sampleUser({ password: 'Secret-123', passwordChangeRequired: true }));
    const user = server.state.store.users.get(body.userId);
    expect(user?.passwordHash).toBe(hash);
    expect(user?.more?.passwordChangeRequired).toBeUndefined();
  });

  it('asks for a new password only of those who come with one', async () => {
    const change = { passwordChangeRequired: true, hashedPassword: undefined };
    const first = await send(sampleUser({ ...change, password: 'Secret-123' }));
    const second = await send(sampleUser({ ...change, userName: 'eve' }));
    expect(server.state.store.users.get(first.body.userId)?.more?.passwordChangeRequired).toBe(true);
    expect(server.state.store.users.get(second.body.userId)).toMatchObject({
      status: 'initial',
      more: undefined,
    });
  });
});

describe('email and state', () => {
  const links = [{ configId: 'idp', externalUserId: 'x', displayName: 'X' }];
  it.each([
    ['verified with a secret', {}, 'active', []],
    [
      'verified without a secret',
      { hashedPassword: undefined },
      'initial',
      [{ kind: 'init', reason: 'init-no-secret', to: 'ada@example.com' }],
    ],
    [
      'not verified',
      { email: { email: 'ada@example.com' } },
      'initial',
      [{ kind: 'init', reason: 'init-unverified', to: 'ada@example.com' }],
    ],
    ['linked and verified, without a secret', { idps: links, hashedPassword: undefined }, 'active', []],
    [
      'linked and not verified',
      { idps: links, email: { email: 'ada@example.com' } },
      'active',
      [{ kind: 'verify-email', reason: 'verify', to: 'ada@example.com' }],
    ],
    ['passkey asked for', { hashedPassword: undefined, requestPasswordlessRegistration: true }, 'active', []],
    [
      'a number that is not verified',
      { phone: { phone: '+41791234567' } },
      'active',
      [{ kind: 'verify-phone', reason: 'phone-unverified', to: '+41791234567' }],
    ],
  ])('%s', async (_, changes, status, expected) => {
    addIdp('idp');
    const { body } = await send(sampleUser(changes));
    expect(server.state.store.users.get(body.userId)?.status).toBe(status);
    expect(emails()).toEqual(expected);
  });
});

describe('refusals', () => {
  const detail = (id: string, message: string) => ({
    message: `${message} (${id})`,
    details: [{ '@type': 'type.googleapis.com/zitadel.v1.ErrorDetail', id, message }],
  });

  it.each([
    [
      { idps: [{ configId: 'closed', externalUserId: 'x' }] },
      400,
      9,
      'COMMAND-SJI3g',
      'Errors.ExternalIDP.CreationNotAllowed',
    ],
    [
      { userName: 'bob@other.example' },
      400,
      3,
      'COMMAND-SFd21',
      'Domain is already reserved and cannot be used',
    ],
  ])('%j -> %i %i %s', async (changes, status, code, id, text) => {
    addIdp('closed', false);
    const { store } = server.state;
    store.orgs.put({
      ...store.orgs.get(server.orgId)!,
      id: 'other',
      name: 'Other',
      domains: [{ domainName: 'other.example', isVerified: true, isPrimary: true }],
    });
    const before = store.users.size;
    expect(await send(sampleUser(changes))).toMatchObject({ status, body: { code, ...detail(id, text) } });
    expect(store.users.size).toBe(before);
    expect(emails()).toEqual([]);
  });

  it('gives a name once per org where the org keeps its names', async () => {
    const { store } = server.state;
    for (const id of ['a', 'b'])
      store.orgs.put({ ...store.orgs.get(server.orgId)!, id, name: id, ownNames: true });
    const into = (orgId: string) => server.call(route, sampleUser(), { orgId });
    expect([(await into('a')).status, (await into('b')).status, (await into('a')).status]).toEqual([
      200, 200, 409,
    ]);
    expect((await send(sampleUser())).status).toBe(200);
  });
});
