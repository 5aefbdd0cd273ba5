/** Users made by version 2: the older way, the newer one, codes, emails and refusals. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../support/reference-server.ts';

let server: TestServer;
beforeEach(() => {
  server = createTestServer();
});

const human = (changes: object = {}) => ({
  profile: { givenName: 'Minnie', familyName: 'Mouse' },
  email: { email: 'mini@mouse.com', isVerified: true },
  ...changes,
});
const add = (changes: object = {}) => server.call('POST /v2/users/human', human(changes));
const hash = '$2a$10$'.padEnd(60, 'x');
const emails = () => [...server.state.store.notifications.values()].map((email) => email.kind);

describe('/v2/users/human', () => {
  it('answers with id and details', async () => {
    expect((await server.call('POST /v2/users/human', human())).body).toEqual({
      userId: expect.stringMatching(/^\d{18}$/),
      details: {
        sequence: '2',
        changeDate: '2026-01-01T00:00:00Z',
        resourceOwner: server.orgId,
      },
    });
  });

  it('takes id, names, metadata, links, one-time password and a hash that must be changed', async () => {
    server.state.store.idps.put({
      id: 'idp',
      orgId: '',
      name: 'I',
      created: 0,
      allowsCreation: false,
      oidc: undefined,
      jwt: undefined,
    });
    await add({
      userId: 'mini',
      username: 'Mini',
      profile: {
        givenName: ' Minnie ',
        familyName: 'Mouse',
        nickName: 'M',
        preferredLanguage: 'en',
        gender: 1,
      },
      metadata: [{ key: 'k', value: 'YQ==' }],
      hashedPassword: { hash, changeRequired: true },
      idpLinks: [{ idpId: 'idp', userId: 'ext', userName: 'Ext' }],
      totpSecret: 'JBSW',
    });
    expect(server.state.store.users.get('mini')).toMatchObject({
      userName: 'Mini',
      firstName: 'Minnie',
      language: 'en',
      status: 'active',
      passwordHash: hash,
      sequence: 6,
      more: {
        nickName: 'M',
        gender: 'GENDER_FEMALE',
        passwordChangeRequired: true,
        metadata: { k: { value: 'YQ==' } },
        links: [{ idpId: 'idp', externalUserId: 'ext', displayName: 'Ext' }],
        otpSecret: 'JBSW',
      },
    });
  });

  it('names the user after the address when no name is given', async () => {
    const { body } = await add();
    expect(server.state.store.users.get(body.userId)?.userName).toBe('mini@mouse.com');
  });

  it('never sends the initialization email: an open address is verified, and its code comes back on demand', async () => {
    await add({ email: { email: 'a@b.c' } });
    expect(emails()).toEqual(['verify-email']);
    const { body } = await add({
      email: { email: 'd@e.f', returnCode: {} },
      phone: { phone: '+41791234567', returnCode: {} },
    });
    expect(body).toMatchObject({
      emailCode: expect.stringMatching(/^[A-Z0-9]{6}$/),
      phoneCode: expect.stringMatching(/^[A-Z0-9]{6}$/),
    });
    await add({ email: { email: 'g@h.i', isVerified: true }, phone: { phone: '+41791234567' } });
    expect(emails()).toEqual(['verify-email', 'verify-phone']);
  });

  it('puts the user into the org that the body names, before the header', async () => {
    const { store } = server.state;
    store.orgs.put({
      ...store.orgs.get(server.orgId)!,
      id: 'b',
      name: 'B',
      domains: [{ domainName: 'b.example', isVerified: true, isPrimary: true }],
    });
    expect((await add({ organization: { orgId: 'b' } })).body.details.resourceOwner).toBe('b');
    expect(
      (await add({ username: 'x', organization: { orgDomain: 'B.example' } })).body.details.resourceOwner,
    ).toBe('b');
    expect(await add({ organization: { orgId: 'none' } })).toMatchObject({
      status: 403,
      body: { details: [{ id: 'AUTH-Bs7Ds' }] },
    });
  });

  it.each([
    [{ userId: 'taken' }, 400, 9, 'COMMAND-7yiox1isql'],
    [{ username: 'TAKEN' }, 409, 6, 'V3-DKcYh'],
    [{ username: ' ' }, 400, 3, 'V2-zzad3'],
    [{ profile: { givenName: ' ', familyName: 'b' } }, 400, 3, 'USER-UCej2'],
    [{ profile: { givenName: 'a', familyName: ' ' } }, 400, 3, 'USER-4hB7d'],
    [{ phone: { phone: 'x' } }, 400, 3, 'PHONE-so0wa'],
    [{ metadata: [{ key: ' ', value: 'YQ==' }] }, 400, 3, 'USER-Drght'],
    [{ hashedPassword: { hash: 'nonsense!' } }, 400, 3, 'CRYPT-r8Qm2'],
    [{ password: { password: 'short' } }, 400, 3, 'COMMA-HuJf6'],
    [{ idpLinks: [{ idpId: 'no', userId: 'x', userName: 'x' }] }, 400, 9, 'COMMAND-39nf2'],
  ])('%j is refused', async (changes, status, code, id) => {
    await add({ userId: 'taken', username: 'taken' });
    expect(await add(changes)).toMatchObject({ status, body: { code, details: [{ id }] } });
  });

  it.each([
    [{ profile: undefined }, 'invalid AddHumanUserRequest.Profile: value is required'],
    [
      { email: { email: 'no-at' } },
      "invalid AddHumanUserRequest.Email: embedded message failed validation | caused by: invalid SetHumanEmail.Email: value must be a valid email address | caused by: mail: missing '@' or angle-addr",
    ],
    [
      { hashedPassword: { hash: 'x'.repeat(201) } },
      'invalid AddHumanUserRequest.HashedPassword: embedded message failed validation | caused by: invalid HashedPassword.Hash: value length must be between 1 and 200 runes, inclusive',
    ],
  ])('%j breaks a field rule', async (changes, text) => {
    expect((await add(changes)).body).toEqual({ code: 3, message: text });
  });

  it('takes a password or a hash, not both', async () => {
    const answer = await add({ password: { password: 'Secret-123' }, hashedPassword: { hash } });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(
      /oneof zitadel\.user\.v2\.AddHumanUserRequest\.password_type is already set$/,
    );
  });
});

describe('/v2/users/new', () => {
  const make = (body: object) => server.call('POST /v2/users/new', { organizationId: server.orgId, ...body });

  it('makes a user', async () => {
    const { body } = await make({
      userId: 'm',
      username: 'mini',
      human: human({ password: { password: 'Secret-123' } }),
    });
    expect(body).toEqual({ id: 'm', creationDate: '2026-01-01T00:00:00Z' });
    expect(server.state.store.users.get('m')).toMatchObject({
      userName: 'mini',
      passwordHash: '$test$Secret-123',
    });
  });

  it('makes a service account with metadata', async () => {
    const { body } = await make({
      username: 'bot',
      machine: { name: 'Bot' },
      metadata: [{ key: 'k', value: 'YQ==' }],
    });
    expect(server.state.store.users.get(body.id)).toMatchObject({
      kind: 'machine',
      userName: 'bot',
      more: { name: 'Bot', metadata: { k: { value: 'YQ==' } } },
    });
  });

  it('refuses an unknown org otherwise than the older way, and a body that makes no user', async () => {
    expect(await make({ organizationId: 'none', human: human() })).toMatchObject({
      status: 400,
      body: { code: 9, details: [{ id: 'COMMAND-QXPGs' }] },
    });
    expect((await make({})).body.message).toBe('invalid CreateUserRequest.UserType: value is required');
  });
});
