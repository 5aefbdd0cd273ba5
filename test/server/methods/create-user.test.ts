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
    [{ username: ' ' }, 400, 3, 'V2-zzad3'],
    [{ profile: { givenName: ' ', familyName: 'b' } }, 400, 3, 'USER-UCej2'],
    [{ profile: { givenName: 'a', familyName: ' ' } }, 400, 3, 'USER-4hB7d'],
    [{ metadata: [{ key: ' ', value: 'YQ==' }] }, 400, 3, 'USER-Drght'],
  ])('%j is refused', async (changes, status, code, id) => {
    await add({ userId: 'taken', username: 'taken' });
    expect(await add(changes)).toMatchObject({ status, body: { code, details: [{ id }] } });
  });
});

describe('/v2/users/new', () => {
  const make = (body: object) => server.call('POST /v2/users/new', { organizationId: server.orgId, ...body });

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
});
