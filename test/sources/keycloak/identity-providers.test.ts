/** What identity providers of a realm become. */
import { describe, expect, it } from 'vitest';
import { readIdp } from '../../../src/sources/keycloak/identity-providers.ts';
import { providerKinds } from '../../../src/wire/identity-providers.ts';

const read = (providerId: string, config: object = {}, more: object = {}) =>
  readIdp({ alias: 'work', providerId, config: { clientId: 'id', ...config }, ...more });
const urls = {
  authorizationUrl: 'https://a.example/a',
  tokenUrl: 'https://a.example/t',
  userInfoUrl: 'https://a.example/u',
};
const endpoints = {
  authorizationEndpoint: 'https://a.example/a',
  tokenEndpoint: 'https://a.example/t',
  userEndpoint: 'https://a.example/u',
};

describe('readIdp maps the kind', () => {
  it.each([
    [
      'OIDC with an issuer',
      'oidc',
      { issuer: 'https://a.example' },
      'generic_oidc',
      { issuer: 'https://a.example' },
    ],
    ['Keycloak', 'keycloak-oidc', { issuer: 'https://k.example/realms/a' }, 'generic_oidc', {}],
    ['OIDC without an issuer', 'oidc', urls, 'oauth', { ...endpoints, idAttribute: 'sub' }],
    ['OAuth', 'oauth2', { ...urls, userIDClaim: 'uid' }, 'oauth', { ...endpoints, idAttribute: 'uid' }],
    ['Google', 'google', {}, 'google', {}],
    ['GitHub', 'github', {}, 'github', {}],
    [
      'GitHub Enterprise Server',
      'github',
      { baseUrl: 'https://g.example/', apiUrl: 'https://g.example/api/v3' },
      'github_es',
      {
        authorizationEndpoint: 'https://g.example/login/oauth/authorize',
        tokenEndpoint: 'https://g.example/login/oauth/access_token',
        userEndpoint: 'https://g.example/api/v3/user',
      },
    ],
    ['GitLab', 'gitlab', {}, 'gitlab', {}],
    ['Microsoft', 'microsoft', {}, 'azure', { tenant: { tenantType: 'AZURE_AD_TENANT_TYPE_COMMON' } }],
    [
      'Microsoft, one tenant',
      'microsoft',
      { tenantId: '3f1c' },
      'azure',
      { tenant: { tenantId: '3f1c' }, emailVerified: false },
    ],
  ])('of %s', (_, providerId, config, kind, settings) => {
    const { made, lost } = read(providerId, config);
    expect(made).toMatchObject({ kind, settings: { clientId: 'id', ...settings } });
    expect(lost).toEqual([]);
    const request = { name: 'work', clientSecret: 's', ...made!.settings };
    expect(() => providerKinds[made!.kind].request.parse(request)).not.toThrow();
  });

  it.each([
    ['SAML', 'saml', {}, {}, 'metadata'],
    ['Apple', 'apple', {}, {}, 'private key'],
    ['OIDC without any address', 'oidc', { tokenUrl: urls.tokenUrl }, {}, 'no issuer'],
    ['OIDC with another scheme', 'oidc', { issuer: 'javascript:alert(1)' }, {}, 'its issuer is not an http'],
    ['an address with another scheme', 'oauth2', { ...urls, tokenUrl: 'file:///t' }, {}, 'one of its URLs'],
    ['blanks as an issuer', 'oidc', { issuer: '  ' }, {}, 'no issuer'],
    ['an unknown one', 'facebook', {}, {}, 'no kind for facebook'],
    ['the name of a method', 'toString', {}, {}, 'no kind for toString'],
    ['a disabled one', 'google', {}, { enabled: false }, 'disabled'],
    ['one without a client id', 'google', { clientId: '' }, {}, 'no client id'],
    [
      'one with a key',
      'oidc',
      { issuer: 'https://a.example', clientAuthMethod: 'private_key_jwt' },
      {},
      'key_jwt',
    ],
  ])('to none for %s, with the reason', (_, providerId, config, more, why) => {
    const { made, lost } = read(providerId, config, more);
    expect([made, lost.join()]).toEqual([undefined, expect.stringContaining(why)]);
  });
});

describe('readIdp maps the settings', () => {
  it('so that users can be linked and created', () => {
    const { made } = read('google', { defaultScope: 'openid  email', syncMode: 'FORCE' });
    expect(made?.settings).toMatchObject({
      scopes: ['openid', 'email'],
      providerOptions: {
        isLinkingAllowed: true,
        isCreationAllowed: true,
        isAutoCreation: false,
        isAutoUpdate: true,
      },
    });
  });

  it('and names those that it cannot map', () => {
    const { lost } = read('google', { hostedDomain: 'a.example' }, { linkOnly: true, storeToken: true });
    expect(lost).toEqual(['limit to a hosted domain', 'login for linked users only', 'stored tokens']);
  });

  it.each([
    ['s3cret', 's3cret'],
    ['**********', ''],
    ['${vault.google}', ''],
  ])('but never writes the client secret %s to them', (clientSecret, secret) => {
    expect(read('google', { clientSecret }).secret).toBe(secret);
    expect(JSON.stringify(read('google', { clientSecret }).made)).not.toContain(clientSecret);
  });
});
