/** Identity providers of an organization: made, listed, used by links, removed. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../support/reference-server.ts';

let server: TestServer;
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

const list = async () => (await server.call(`POST ${idps}/templates/_search`, {})).body.result ?? [];
const user = (configId: string) => ({
  userName: 'ann',
  profile: { firstName: 'Ann', lastName: 'Bee' },
  email: { email: 'ann@example.com', isEmailVerified: true },
  idps: [{ configId, externalUserId: '1', displayName: 'ann' }],
});

describe('identity providers', () => {
  it.each([
    ['generic_oidc', 'OIDC', 'oidc', { ...google, issuer: 'https://a.example' }],
    [
      'azure',
      'AZURE_AD',
      'azureAd',
      { ...google, tenant: { tenantType: 'AZURE_AD_TENANT_TYPE_ORGANISATIONS' } },
    ],
  ])(
    'of the kind %s have an id and are listed, without their secret',
    async (kind, type, config, settings) => {
      const { status, body } = await server.call(`POST ${idps}/${kind}`, settings);
      expect(status).toBe(200);
      expect(await list()).toContainEqual({
        id: body.id,
        name: 'Work',
        state: 'IDP_STATE_ACTIVE',
        owner: 'IDP_OWNER_TYPE_ORG',
        type: `PROVIDER_TYPE_${type}`,
        config: { options: google.providerOptions, [config]: expect.objectContaining({ clientId: 'id' }) },
        details: expect.objectContaining({ resourceOwner: server.orgId, creationDate: expect.any(String) }),
      });
      expect(JSON.stringify([...server.state.store.idps.values()])).not.toContain('s3cret');
    },
  );

  it('take users with links only where they allow that users are made', async () => {
    const human = 'POST /management/v1/users/human/_import';
    const open = (await server.call(`POST ${idps}/google`, google)).body.id;
    const closed = (await server.call(`POST ${idps}/google`, { ...google, providerOptions: {} })).body.id;
    expect(await server.call(human, user(closed))).toMatchObject({ status: 400 });
    expect(await server.call(human, user(open))).toMatchObject({ status: 200 });
  });
});
