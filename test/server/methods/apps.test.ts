/** Applications of a project: added, listed, given a new secret, removed. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type TestServer } from '../../support/reference-server.ts';

let server: TestServer;
let apps: string;
beforeEach(async () => {
  server = createTestServer();
  const { body } = await server.call('POST /management/v1/projects', { name: 'Harbour' });
  apps = `/management/v1/projects/${body.id}/apps`;
});

const web = {
  name: 'shop',
  redirectUris: ['https://shop.example/callback'],
  responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
  grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'],
  appType: 'OIDC_APP_TYPE_WEB',
  authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC',
};
const list = async () => (await server.call(`POST ${apps}/_search`, {})).body.result ?? [];
const hashOf = (appId: string) => server.state.store.apps.get(appId)?.secretHash;
const hash = (secret: string) => createHash('sha256').update(secret).digest('base64');

describe('applications', () => {
  it('have an id, a client id, and a secret where they authenticate by one', async () => {
    const { status, body } = await server.call(`POST ${apps}/oidc`, web);
    expect(status).toBe(200);
    expect(body).toMatchObject({ appId: expect.stringMatching(/^\d+$/), clientId: expect.any(String) });
    expect(hashOf(body.appId)).toBe(hash(body.clientSecret));
    const open = { ...web, name: 'spa', authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE' };
    expect((await server.call(`POST ${apps}/oidc`, open)).body).not.toHaveProperty('clientSecret');
    const api = { name: 'api', authMethodType: 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT' };
    expect((await server.call(`POST ${apps}/api`, api)).body).not.toHaveProperty('clientSecret');
  });

  it('are listed and read with their settings, without a secret', async () => {
    const { body } = await server.call(`POST ${apps}/oidc`, web);
    const [{ details: _, ...shown }] = await list();
    const { name, ...settings } = web;
    // The first value of an enum is not written.
    const { responseTypes, grantTypes, redirectUris } = settings;
    expect(shown).toEqual({
      id: body.appId,
      name,
      state: 'APP_STATE_ACTIVE',
      oidcConfig: expect.objectContaining({
        clientId: body.clientId,
        redirectUris,
        responseTypes,
        grantTypes,
      }),
    });
    expect((await server.call(`GET ${apps}/${body.appId}`)).body.app).toMatchObject(shown);
    expect(await server.call(`GET ${apps}/42`)).toMatchObject({ status: 404 });
  });

  it('get a new secret, which takes the place of the first', async () => {
    const { appId } = (await server.call(`POST ${apps}/oidc`, web)).body;
    const path = `${apps}/${appId}/oidc_config/_generate_client_secret`;
    const { clientSecret } = (await server.call(`POST ${path}`, {})).body;
    expect(hashOf(appId)).toBe(hash(clientSecret));
    const asApi = await server.call(`POST ${apps}/${appId}/api_config/_generate_client_secret`, {});
    expect(asApi).toMatchObject({ status: 400 });
    expect(asApi.body.message).toContain('COMMAND-aeH4');
  });

  it.each([
    ['a name that is taken', web, 409, 'V3-DKcYh'],
    ['one that differs in case', { ...web, name: 'SHOP' }, 409, 'V3-DKcYh'],
    [
      'an origin with a path',
      { ...web, name: 'x', additionalOrigins: ['https://a.example/x'] },
      400,
      'PROJECT-1n8df',
    ],
    [
      'a URI to log out at that is none',
      { ...web, name: 'x', backChannelLogoutUri: 'x' },
      400,
      'PROJECT-msNebo',
    ],
    ['an unknown type', { ...web, name: 'x', appType: 99 }, 400, 'AddOIDCAppRequest.AppType'],
    [
      'a response type without its grant type',
      { ...web, name: 'x', responseTypes: ['OIDC_RESPONSE_TYPE_ID_TOKEN'] },
      400,
      'PROJECT-1n8df',
    ],
    ['no name', { ...web, name: '' }, 400, 'AddOIDCAppRequest.Name'],
  ])('are refused with %s', async (_, app, status, text) => {
    await server.call(`POST ${apps}/oidc`, web);
    const answer = await server.call(`POST ${apps}/oidc`, app);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(text);
    expect(await list()).toHaveLength(1);
  });

  const native = { ...web, appType: 'OIDC_APP_TYPE_NATIVE', authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE' };
  const spa = { ...native, appType: 'OIDC_APP_TYPE_USER_AGENT' };
  const grants = (...types: string[]) => ({ grantTypes: types.map((type) => `OIDC_GRANT_TYPE_${type}`) });
  const implicit = {
    responseTypes: ['OIDC_RESPONSE_TYPE_ID_TOKEN'],
    ...grants('IMPLICIT'),
    redirectUris: ['com.example:/back', 'http://a.example/'],
  };
  const both = { ...grants('AUTHORIZATION_CODE', 'IMPLICIT'), redirectUris: ['http://a.example/'] };
  it.each<[string, object, readonly string[]]>([
    ['no fault', web, []],
    ['no redirect URI', { ...web, redirectUris: [] }, ['NotCompliant', 'NoRedirectUris']],
    ['devices', { ...web, ...grants('DEVICE_CODE'), redirectUris: [] }, []],
    [
      'a scheme of its own in a web application',
      { ...web, redirectUris: ['com.example:/back'] },
      ['NotCompliant', 'Code.RedirectUris.CustomOnlyForNative'],
    ],
    ['http in a web application', { ...web, redirectUris: ['http://a.example/'] }, []],
    [
      'http in a browser',
      { ...spa, redirectUris: ['http://a.example/'] },
      ['NotCompliant', 'NotCompliant', 'Code.RedirectUris.HttpOnlyForWeb'],
    ],
    [
      'http elsewhere than on its own machine',
      { ...native, redirectUris: ['http://127.0.0.1:80/', 'http://localhost.a.example/'] },
      ['NotCompliant', 'NotCompliant', 'Native.RedirectUris.MustBeHttpLocalhost'],
    ],
    ['its own machine', { ...native, redirectUris: ['http://[::1]/', 'http://localhost:3000'] }, []],
    [
      'the implicit flow',
      { ...web, ...implicit },
      ['NotCompliant', 'Implicit.RedirectUris.CustomNotAllowed', 'Implicit.RedirectUris.HttpNotAllowed'],
    ],
    ['both flows', { ...web, ...both }, ['NotAllCombinationsAreAllowed']],
    [
      'a secret in a browser',
      { ...spa, authMethodType: web.authMethodType },
      ['NotCompliant', 'NotCompliant', 'UserAgent.AuthMethodType.NotNone'],
    ],
  ])('say what differs from OpenID Connect: %s', async (_, app, problems) => {
    const { body } = await server.call(`POST ${apps}/oidc`, app);
    const keys = problems.map((problem) => `Application.OIDC.V1.${problem}`);
    expect((body.complianceProblems ?? []).map(({ key }: { key: string }) => key)).toEqual(keys);
    expect(body.noneCompliant ?? false).toBe(problems.includes('NotCompliant'));
    const [{ oidcConfig }] = await list();
    expect(oidcConfig.complianceProblems).toEqual(body.complianceProblems);
  });

  it('are removed, by those who may: owners of an organization may not', async () => {
    const { appId } = (await server.call(`POST ${apps}/oidc`, web)).body;
    expect((await server.call(`DELETE ${apps}/${appId}`, undefined, { as: 'orgOwner' })).status).toBe(403);
    expect((await server.call(`DELETE ${apps}/${appId}`)).status).toBe(200);
    expect(await list()).toEqual([]);
    expect((await server.call(`DELETE ${apps}/${appId}`)).body.message).toContain('COMMAND-0po9s');
  });
});
