/** Applications of a project, in what no recorded call has: secrets, and redirect URIs on the own machine. */

import { beforeEach, describe, expect, it } from 'vitest';
import { createTestServer, type FullServer } from '../../support/full-server.ts';

let server: FullServer;
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

describe('applications', () => {
  const native = { ...web, appType: 'OIDC_APP_TYPE_NATIVE', authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE' };
  const spa = { ...native, appType: 'OIDC_APP_TYPE_USER_AGENT' };

  it.each<[string, object, readonly string[]]>([
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
  ])('say what differs from OpenID Connect: %s', async (_, app, problems) => {
    const { body } = await server.call(`POST ${apps}/oidc`, app);
    const keys = problems.map((problem) => `Application.OIDC.V1.${problem}`);
    expect((body.complianceProblems ?? []).map(({ key }: { key: string }) => key)).toEqual(keys);
    expect(body.noneCompliant ?? false).toBe(problems.includes('NotCompliant'));
    const [{ oidcConfig }] = await list();
    expect(oidcConfig.complianceProblems).toEqual(body.complianceProblems);
  });
});
