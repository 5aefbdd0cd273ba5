/** Identity providers of an organization: made, listed, used by links, removed. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
beforeEach(() => {
  server = createTestServer();
});

const idps = '/management/v1/idps';
const google = {
  name: 'Work',
  clientId: 'id',
  clientSecret: 's3cret',
  providerOptions: { isLinkingAllowed: true, isCreationAllowed: true },
};

const user = (configId: string) => ({
  userName: 'ann',
  profile: { firstName: 'Ann', lastName: 'Bee' },
  email: { email: 'ann@example.com', isEmailVerified: true },
  idps: [{ configId, externalUserId: '1', displayName: 'ann' }],
});

describe('identity providers', () => {
  it('take users with links only where they allow that users are made', async () => {
    const human = 'POST /management/v1/users/human/_import';
    const open = (await server.call(`POST ${idps}/google`, google)).body.id;
    const closed = (await server.call(`POST ${idps}/google`, { ...google, providerOptions: {} })).body.id;
    expect(await server.call(human, user(closed))).toMatchObject({ status: 400 });
    expect(await server.call(human, user(open))).toMatchObject({ status: 200 });
  });
});
